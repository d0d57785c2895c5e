import type { Agent } from '../agents/agent.ts'
import type { Message, ToolCall } from '../agents/write.ts'
import type { IonEvent } from '../events/event.ts'
import type { SessionHead } from '../events/session.ts'
import { sessionChanges } from '../export/file-changes.ts'
import { withoutMiddle } from './budget.ts'

/** So much of a text, in characters. */
const GOAL = 4000
const LAST = 6000
const PROMPT = 600
const DECISION = 300
const MAX_PROMPTS = 12
const MAX_DECISIONS = 10
const MAX_FILES = 40

/** Words with which people and models say what was decided. Only whole sentences are quoted. */
const DECIDED =
  /\b(decided?|decision|agreed?|instead of|rather than|we will|we'll|let's|must not|never|always|chose|chosen|recommend|the reason is|root cause|turned out)\b/i

/**
 * What the next agent has to know, from the session itself: nothing is summarised by a model. Short, and it ends with how to
 * read the rest.
 */
export function briefOf(
  head: SessionHead,
  agent: Pick<Agent, 'title'>,
  messages: readonly Message[],
  events: readonly IonEvent[],
): string {
  const prompts = messages.flatMap((message) => (message.role === 'user' ? [textOf(message)] : []))
  const [goal = '', ...later] = prompts
  const sections = [
    [
      `This continues a session of ${agent.title}${head.cwd === null ? '' : ` in ${head.cwd}`}. It is background: wait for what the user asks next.`,
    ],
    section('Goal', withoutMiddle(goal, GOAL)),
    section('What the user asked for after that', listed(later.slice(0, -1).slice(-MAX_PROMPTS), PROMPT)),
    section('Decisions and findings', listed(decisionsIn(messages), DECISION)),
    section('Files touched', filesIn(events)),
    section('Open points', openPoints(messages)),
    section('The last exchange, word for word', lastExchange(messages)),
    [
      `The whole session: \`ion show ${head.id}\` in a shell; \`ion search "words" in:${head.id.slice(0, 8)}\` finds a place in it.`,
    ],
  ]
  return sections.flat().join('\n\n')
}

function section(title: string, text: string): string[] {
  return text === '' ? [] : [`## ${title}\n${text}`]
}

function textOf({ content }: Message): string {
  return content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n')
}

function listed(texts: readonly string[], limit: number): string {
  return texts.map((text) => `- ${withoutMiddle(text.trim(), limit).replaceAll('\n', '\n  ')}`).join('\n')
}

/** The newest sentences of answers that say what was decided or found, in their order. */
function decisionsIn(messages: readonly Message[]): string[] {
  const found: string[] = []
  for (const message of messages.toReversed()) {
    if (message.role === 'user') continue
    for (const sentence of textOf(message)
      .split(/(?<=[.!?])\s+|\n+/)
      .toReversed()) {
      const text = sentence.replace(/^[-*#>\d.\s]+/, '').trim()
      if (text.length > 20 && DECIDED.test(text) && !found.includes(text)) found.push(text)
      if (found.length >= MAX_DECISIONS) return found.reverse()
    }
  }
  return found.reverse()
}

function filesIn(events: readonly IonEvent[]): string {
  const files = new Map<string, { added: number; removed: number; kind: string }>()
  for (const { path, added, removed, kind } of sessionChanges(events).changes) {
    const known = files.get(path)
    files.set(path, { added: (known?.added ?? 0) + added, removed: (known?.removed ?? 0) + removed, kind })
  }
  const lines = [...files].map(([path, { added, removed, kind }]) => `- ${path} (${kind}, +${added} -${removed})`)
  const more = lines.length - MAX_FILES
  return [...lines.slice(-MAX_FILES), ...(more > 0 ? [`- and ${more} more`] : [])].join('\n')
}

/** What the session itself leaves open: its last list of things to do, a call that failed last, a prompt without answer. */
function openPoints(messages: readonly Message[]): string {
  const calls = messages.flatMap((message) =>
    message.role === 'user' ? [] : message.content.filter((block): block is ToolCall => block.type === 'call'),
  )
  const points = todosIn(calls)
  const last = calls.at(-1)
  if (last?.isError)
    points.push(`the last tool call failed: ${last.name} ${withoutMiddle(JSON.stringify(last.input), 300)}`)
  if (messages.at(-1)?.role === 'user') points.push('the last prompt below was not answered')
  return listed(points, PROMPT)
}

/** Agents keep such lists with a tool: entries with a text and a status that is not done. */
function todosIn(calls: readonly ToolCall[]): string[] {
  for (const { input } of calls.toReversed()) {
    const list = Object.values(input).find((value) => Array.isArray(value) && value.length > 0 && value.every(isTodo))
    if (!list) continue
    return (list as Todo[])
      .filter(({ status }) => !/^(completed|done|cancelled)$/i.test(status))
      .map((todo) => todo.content ?? todo.step ?? todo.text ?? todo.title ?? '')
      .filter(Boolean)
  }
  return []
}

interface Todo {
  readonly status: string
  readonly content?: string
  readonly step?: string
  readonly text?: string
  readonly title?: string
}

function isTodo(value: unknown): value is Todo {
  const { status, content, step, text, title } = Object(value) as Record<string, unknown>
  return typeof status === 'string' && [content, step, text, title].some((one) => typeof one === 'string')
}

function lastExchange(messages: readonly Message[]): string {
  const from = messages.findLastIndex(({ role }) => role === 'user')
  const [prompt, ...answers] = messages.slice(from)
  const answer = answers.map(textOf).filter(Boolean).join('\n\n')
  const said = [`**User:** ${withoutMiddle(prompt ? textOf(prompt) : '', LAST)}`]
  if (answer !== '') said.push(`**Assistant:** ${withoutMiddle(answer, LAST)}`)
  return said.join('\n\n')
}
