import { appendFileSync, mkdirSync } from 'node:fs'
import { onTestFinished } from 'vitest'
import type { Agent } from '../../src/agents/agent.ts'
import type { IonEvent } from '../../src/events/event.ts'
import type { SessionHead } from '../../src/events/session.ts'
import type { HostState } from '../../src/host/watchers.ts'
import type { Io } from '../../src/platform/io.ts'
import { appendEntry } from '../../src/run/ledger.ts'
import { type Task, taskOf } from '../../src/run/task.ts'
import { Chat, type ChatSources } from '../../src/server/chat.ts'
import { Transcript } from '../../src/server/transcript.ts'
import { sampleLog } from './sample-events.ts'
import { scratchIo } from './scratch.ts'

export interface MadeChat {
  readonly chat: Chat
  readonly task: Task
  readonly io: Io
  /** Sets the content of the agent's store; seen at the next check. */
  write(...events: Parameters<typeof sampleLog>): Promise<void>
  /** The agent asks in its terminal, and takes arrow keys and Enter; `chosen` gets the choice before it stops asking. */
  showQuestion(text: string, details: string, choices: readonly string[], chosen?: (choice: string) => void): void
}

/** For tests: a chat over an agent whose store is a list in memory. No program runs; a terminal exists once it asks. */
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
  const terminal = fakeHost()
  const chat = new Chat(agent, task, io, undefined, {
    host: terminal.host,
    transcript: (...args) => new Transcript(...args),
  })
  onTestFinished(() => chat.close())
  await chat.begin()
  return {
    chat,
    task,
    io,
    showQuestion: terminal.showQuestion,
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

function fakeHost(): { readonly host: ChatSources['host']; readonly showQuestion: MadeChat['showQuestion'] } {
  const ready = {
    state: 'waiting',
    drawn: true,
    printed: true,
    agent_pid: 77,
    clients: 0,
    columns: 120,
    screen: 'ready >',
  } as const
  let view: HostState | undefined
  let onChange = (): void => {}
  let onChosen = (_choice: string): void => {}
  const show = (changed: Pick<HostState, 'dialog' | 'question'>): void => {
    view = { ...ready, ...changed }
    onChange()
  }
  const press = (key: string): boolean => {
    const question = view?.question
    if (!question) return false
    const { choices, marked = 0 } = question
    if (key === '\r') {
      onChosen(choices[marked]!)
      show({ dialog: null, question: null })
    } else if (/^\x1b\[[AB]$/.test(key)) {
      const moved = Math.min(choices.length - 1, Math.max(0, marked + (key === '\x1b[B' ? 1 : -1)))
      show({ dialog: view!.dialog, question: { ...question, marked: moved } })
    }
    return true
  }
  return {
    host: (_folder, changed) => {
      onChange = changed
      return {
        connect: async () => {},
        // The terminal shows what a key did a moment later.
        type: async (text) => {
          if (!view?.question) return false
          setImmediate(() => press(text))
          return true
        },
        close: () => {},
        get view() {
          return view
        },
      }
    },
    showQuestion(text, details, choices, chosen = () => {}) {
      onChosen = chosen
      show({ dialog: { id: 'question', asks: `asks: ${text}` }, question: { text, details, choices, marked: 0 } })
    },
  }
}
