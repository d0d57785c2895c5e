import { appendFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { findAgent } from '../../src/agents/find.ts'
import type { Io } from '../../src/platform/io.ts'
import { taskFolder } from '../../src/platform/task-folders.ts'
import { appendEntry } from '../../src/run/ledger.ts'
import { readTaskState } from '../../src/run/session-record.ts'
import type { Task } from '../../src/run/task.ts'
import { listAll } from './read-all.ts'
import { scratchIo } from './scratch.ts'

export const replicaAgent = findAgent('claude')

/** A home that has sessions. */
export const SESSIONS: string = fileURLToPath(new URL('../../src/agents/claude/fixtures/2.1.325', import.meta.url))

/** A home with a task of its own, for tests of replicas. */
export class TaskHome {
  readonly io: Io
  readonly task: Task
  readonly notices: string[] = []

  /** `more`: for instance another clock. */
  constructor(fixture?: string, env: Record<string, string> = {}, more: Partial<Io> = {}) {
    this.io = { ...scratchIo(fixture, env), ...more }
    const { home } = this.io
    const folder = taskFolder(replicaAgent.id, home, 'main', this.io)
    this.task = { agent: replicaAgent.id, project: home, name: 'main', folder }
  }

  readonly notice = (line: string): void => void this.notices.push(line)

  /** A session of the fixture becomes that of the task. */
  use(): void {
    const head = listAll(replicaAgent, this.io).heads.find(({ parent_session }) => !parent_session)!
    const common = { run: 'r', cwd: this.task.project }
    const planned = { type: 'planned', decision: 'cold', reason: '', way: 'headless', args: [] } as const
    appendEntry(this.task.folder, { ...planned, session: head.native_id, ...common }, this.io)
    const { native_id } = head
    appendEntry(this.task.folder, { type: 'session', native_id, files: [], how: 'told', ...common }, this.io)
  }

  /** The agent continues the session. */
  work(): void {
    const { native_id } = readTaskState(this.task.folder).session!
    const { path } = listAll(replicaAgent, this.io).heads.find((head) => head.native_id === native_id)!
    appendFileSync(path, `${JSON.stringify({ type: 'summary', summary: 'more', leafUuid: 'u' })}\n`)
  }

  /** Only the ledger grows, which does not count as having continued the session. */
  end(): void {
    appendEntry(this.task.folder, { type: 'exited', run: 'r', code: 0, signal: null }, this.io)
  }
}
