import { sessionId } from '../../events/id.ts'
import { tasksFolder } from '../../platform/home.ts'
import { dayOf } from '../../platform/local-time.ts'
import { projectOf } from '../../platform/project.ts'
import { agentFolder, taskFolder } from '../../platform/task-folders.ts'
import { pathBelow } from '../backup.ts'
import type { Message, NewSession, SessionWriter, WrittenSession } from '../write.ts'
import { escapeAnswer } from './escape.ts'
import { AGENT, NOTE_FILE, TASK_FILE } from './paths.ts'

/**
 * A history of its own, in the folder of the task that a resume of the session makes. Aider restores prompts and answers and
 * has nothing else: calls are text in the answers.
 */
export const writer: SessionWriter = {
  proven: { oldest: '0.86.2', newest: '0.86.2' },
  // With more than 8,192 tokens (fewer for small models) Aider lets its model summarise the history right at the start. JSON
  // and code have twice as many as Ion's estimate says: with 6,000 it was seen to do so.
  budget: 4000,
  calls: 'text',
  images: false,
  storable,
  prepare:
    ({ cwd, io }) =>
    (session) => {
      const task = taskFolder(AGENT, projectOf(cwd), sessionId(AGENT, session.id).slice(0, 8), io)
      return write(session, pathBelow(tasksFolder(io), agentFolder(task)))
    },
}

function write({ id, cwd, at, messages }: NewSession, folder: string): WrittenSession {
  const content = `\n# aider chat started at ${localTime(at)}\n\n${turnsOf(messages).map(turnText).join('')}`
  const note = `${JSON.stringify({ cwd, written: Buffer.byteLength(content) })}\n`
  return {
    nativeId: id,
    parts: [
      { kind: 'file', root: 'tasks', path: `${folder}/${id}/${NOTE_FILE}`, form: 'whole', content: note },
      { kind: 'file', root: 'tasks', path: `${folder}/${id}/${TASK_FILE}`, form: 'whole', content },
    ],
  }
}

/**
 * A line of a history ends at whatever Python takes for the end of a line, a line of blanks is an empty one, and half of a
 * surrogate pair has no UTF-8.
 */
function storable(text: string): string {
  return Buffer.from(text)
    .toString()
    .replace(/\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]/g, '\n')
    .replace(/^[^\S\n]+$/gm, '')
}

interface Turn {
  readonly role: Message['role']
  text: string
}

/** A history has no border between answers that follow each other. */
function turnsOf(messages: readonly Message[]): Turn[] {
  const turns: Turn[] = []
  for (const { role, content } of messages) {
    const texts = content.flatMap((block) => (block.type === 'text' ? [block.text] : []))
    const last = turns.at(-1)
    if (role === 'user') turns.push({ role, text: texts.join('\n') })
    else if (last?.role === role) last.text = [last.text, ...texts].map((text) => text.trim()).join('\n')
    else turns.push({ role, text: texts.map((text) => text.trim()).join('\n') })
  }
  return turns
}

/** As Aider writes them. */
function turnText({ role, text }: Turn): string {
  if (role === 'assistant') return `${escapeAnswer(text)}\n\n`
  return `${text
    .split('\n')
    .map((line) => `#### ${line}  \n`)
    .join('')}\n`
}

/** `2026-11-18 05:47:18`, as in the heading of a run. */
function localTime(iso: string): string {
  const date = new Date(iso)
  return `${dayOf(date)} ${date.toTimeString().slice(0, 8)}`
}
