import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { Readable } from 'node:stream'
import { exportFileName } from '../../../export/file-name.ts'
import type { Io } from '../../../platform/io.ts'
import type { Task } from '../../../run/task.ts'
import type { Documents, OpenDocument, SessionEntry } from '../../../server/documents.ts'

const TYPES = {
  share: ['text/markdown; charset=utf-8', 'md'],
  md: ['text/markdown; charset=utf-8', 'md'],
  html: ['text/html; charset=utf-8', 'html'],
  json: ['application/json', 'json'],
  jsonl: ['application/jsonl', 'jsonl'],
} as const

const MOST_AT_ONCE = 4
const LONGEST_MS = 60_000
const MOST_SESSIONS = '200'

type Child = ChildProcessByStdio<null, Readable, null>

/** Documents by the commands that make them for a user too, each in a process of its own. */
export function subprocessDocuments(task: Task, io: Io): Documents {
  let count = 0
  const start = (args: readonly string[]): Child => {
    count++
    const child = spawn(process.execPath, [process.argv[1]!, ...args], {
      cwd: task.project,
      env: io.env as NodeJS.ProcessEnv,
      stdio: ['ignore', 'pipe', 'ignore'],
      windowsHide: true,
    })
    const timer = setTimeout(() => child.kill('SIGKILL'), LONGEST_MS)
    child.once('close', () => {
      count--
      clearTimeout(timer)
    })
    child.once('error', () => {})
    return child
  }
  return {
    async open(kind, sessionId): Promise<OpenDocument | undefined> {
      if (count >= MOST_AT_ONCE) return undefined
      const child = start(kind === 'share' ? ['share', sessionId] : ['export', sessionId, '--format', kind])
      if (!(await hasBegun(child))) throw new Error('the document could not be made')
      const [type, extension] = TYPES[kind]
      const name = exportFileName(
        { id: sessionId, agent: task.agent, title: task.name, created_at: io.now().toISOString() },
        extension,
      )
      return {
        body: Readable.toWeb(child.stdout) as unknown as ReadableStream,
        type,
        name,
        close: () => void child.kill('SIGKILL'),
      }
    },
    async sessions() {
      if (count >= MOST_AT_ONCE) return []
      const chosen = ['--project', task.project, '--agent', task.agent, '--limit', MOST_SESSIONS]
      const args = ['sessions', '--json', ...chosen]
      let text = ''
      for await (const piece of start(args).stdout.setEncoding('utf8')) text += piece
      return text.split('\n').filter(Boolean).map(entryOf)
    },
  }
}

/** False when it ended before it printed anything. */
function hasBegun(child: Child): Promise<boolean> {
  return new Promise((resolve) => {
    child.stdout.once('readable', () => resolve(child.stdout.readableLength > 0))
    child.once('error', () => resolve(false))
  })
}

function entryOf(line: string): SessionEntry {
  const { id, title, updated_at, messages } = JSON.parse(line) as SessionEntry
  return { id, title, updated_at, messages }
}
