import { appendFileSync, mkdirSync } from 'node:fs'
import { onTestFinished } from 'vitest'
import type { Agent } from '../../src/agents/agent.ts'
import type { IonEvent } from '../../src/events/event.ts'
import type { SessionHead } from '../../src/events/session.ts'
import type { Io } from '../../src/platform/io.ts'
import { appendEntry } from '../../src/run/ledger.ts'
import { type Task, taskOf } from '../../src/run/task.ts'
import { Chat } from '../../src/server/chat.ts'
import { sampleLog } from './sample-events.ts'
import { scratchIo } from './scratch.ts'

export interface MadeChat {
  readonly chat: Chat
  readonly task: Task
  readonly io: Io
  /** Sets the content of the agent's store; seen at the next check. */
  write(...events: Parameters<typeof sampleLog>): Promise<void>
}

/** For tests: a chat over an agent whose store is a list in memory. No program runs. */
export async function madeChat(...first: Parameters<typeof sampleLog>): Promise<MadeChat> {
  const io = scratchIo()
  let events: IonEvent[] = sampleLog(...first)
  const path = `${io.home}/store`
  const store = { path, files: [{ path, mtimeMs: 0 }] }
  const head = (): SessionHead =>
    ({
      id: 'n1',
      agent: 'made',
      native_id: 'n1',
      path,
      title: 'made',
      revision: String(events.length),
    }) as never
  const agent = {
    id: 'made',
    title: 'Made',
    agentapiType: 'custom',
    aliases: [],
    sources: () => [store],
    heads: () => [head()],
    read: () => events.map((event) => ({ event })),
  } as unknown as Agent
  const task = taskOf('made', io.home, 'main', io)
  mkdirSync(task.folder, { recursive: true })
  appendEntry(task.folder, { type: 'session', run: 'r', native_id: 'n1', files: [], cwd: io.home, how: 'adopted' }, io)
  const chat = new Chat(agent, task, io)
  onTestFinished(() => chat.close())
  await chat.begin()
  return {
    chat,
    task,
    io,
    async write(...more) {
      events = sampleLog(...more)
      // A store whose files have not changed is not read again.
      appendFileSync(path, 'changed\n')
      // The first message may be one that began earlier.
      await chat.transcript.look()
      await chat.transcript.look()
    },
  }
}
