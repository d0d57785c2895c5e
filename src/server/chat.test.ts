import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { madeChat } from '../../test/support/fake-chat.ts'
import { sampleLog } from '../../test/support/sample-events.ts'
import { scratchIo } from '../../test/support/scratch.ts'
import type { Agent } from '../agents/agent.ts'
import type { IonEvent } from '../events/event.ts'
import { sessionId } from '../events/id.ts'
import type { SessionHead } from '../events/session.ts'
import type { HostState } from '../host/watchers.ts'
import type { Io } from '../platform/io.ts'
import { promptIdentity, savePrompt } from '../run/prompt.ts'
import { type Task, taskOf } from '../run/task.ts'
import { type TaskState, taskState } from '../run/task-state.ts'
import type { RecordedAnswer } from './answers.ts'
import { Chat, type ChatSources } from './chat.ts'
import type { SavedState } from './chat-state.ts'
import { Conversation } from './conversation.ts'
import type { EventForm } from './event-stream.ts'

/** The message events for a reader that has seen everything up to `seq`. */
function eventsAfter({ log }: Chat, seq: number): string[] {
  const events: string[] = []
  for (let change = log.next(seq); change; change = log.next(change.seq)) {
    const [, event, data] = /^event: (\w+)\ndata: (.*)\n/.exec(change.value.serialize(0, 'full'))!
    if (event !== 'status_change') events.push(`${event} ${JSON.parse(data!).id}`)
  }
  return events
}

test('a message that disappears is sent as removed, and again when it returns', async () => {
  const [one, two, three] = ['one', 'two', 'three'].map((content) => ({ type: 'user', content }) as const)
  const { chat, write } = await madeChat(one!, two!, three!)
  expect(eventsAfter(chat, 0)).toEqual(['message_update 0', 'message_update 1', 'message_update 2'])
  const { seq } = chat.log
  await write(one!)
  expect(eventsAfter(chat, seq)).toEqual(['message_removed 1', 'message_removed 2'])
  expect(chat.messages.map(({ id }) => id)).toEqual([0])
  await write(one!, two!)
  expect(eventsAfter(chat, seq)).toEqual(['message_removed 2', 'message_update 1'])
  expect(chat.messages.map(({ id }) => id)).toEqual([0, 1])
})

test('how far the store is behind is sent when it changes, but not to clients of AgentAPI', async () => {
  const { chat } = await madeChat()
  const { seq } = chat.log
  const behind = { state: 'behind', behind_since: '2026-11-16T00:00:00.000Z', reason: 'full' } as const
  for (const replica of [null, behind, { ...behind }]) chat.replica = replica
  expect(chat.log.seq - seq).toBe(1)
  const change = chat.log.next(seq)!.value
  expect([change.serialize(1, 'agentapi'), change.serialize(1, 'full')]).toEqual([
    '',
    `event: replica_change\ndata: ${JSON.stringify(behind)}\nid: 1\n\n`,
  ])
  // A new reader gets it with the current state.
  const current = chat.events.current(undefined).rest.map((event) => event.serialize(1, 'full'))
  expect(current).toContain(change.serialize(1, 'full'))
})

const OK = {
  state: 'waiting',
  drawn: true,
  printed: true,
  dialog: null,
  question: null,
  clients: 0,
  columns: 80,
  screen: 'ready >',
} as const

interface Scene {
  readonly chat: Chat
  /** Each `status_change` and other event in order, as short text. */
  events(): string[]
  /** The host sends its state; undefined: the connection is gone. */
  show(view: Partial<HostState> | undefined): void
  /** The transcript has these events, and the ledger this state. */
  write(
    events: readonly IonEvent[],
    changed?: {
      readonly native?: string | null
      readonly state?: Partial<TaskState>
      readonly answers?: readonly RecordedAnswer[]
    },
  ): void
  pass(ms: number): void
}

/** A chat whose host and transcript are played by the test, on a fake clock. */
async function play(saved?: SavedState): Promise<Scene> {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const io = scratchIo()
  const task = taskOf('made', io.home, 'main', io)
  let view: HostState | undefined
  let conversation = new Conversation()
  let head: SessionHead | undefined
  let answers: readonly RecordedAnswer[] = []
  let state = taskState([])
  let [hostChanged, transcriptChanged] = [(): void => {}, (): void => {}]
  const sources = {
    host: (_folder: string, onChange: () => void) => {
      hostChanged = onChange
      return {
        connect: async () => {},
        type: async () => true,
        close: () => {},
        get view() {
          return view
        },
      }
    },
    transcript: (_agent: Agent, _task: Task, _io: Io, onChange: () => void) => {
      transcriptChanged = onChange
      return {
        begin: async () => {},
        close: () => {},
        look: async () => {},
        lookSoon: () => {},
        get head() {
          return head
        },
        get answers() {
          return answers
        },
        get conversation() {
          return conversation
        },
        get state() {
          return state
        },
      }
    },
  } as unknown as ChatSources
  const agent = { id: 'made', title: 'Made', agentapiType: 'custom' } as unknown as Agent
  const chat = new Chat(agent, task, io, saved, sources)
  onTestFinished(() => chat.close())
  await chat.begin()
  return {
    chat,
    events() {
      const all: string[] = []
      for (let change = chat.log.next(0); change; change = chat.log.next(change.seq)) {
        const [, name, data] = /^event: (\w+)\ndata: (.*)\n/.exec(change.value.serialize(0, 'full'))!
        const { id, status, message, content } = JSON.parse(data!)
        all.push(`${name} ${id ?? ''}${status ?? ''} ${message ?? content ?? ''}`.trim())
      }
      return all
    },
    show(shown) {
      view = shown ? { ...OK, agent_pid: 77, ...shown } : undefined
      hostChanged()
    },
    write(events, { native = 'n1', state: changed = {}, answers: given = [] } = {}) {
      answers = given
      conversation = new Conversation()
      for (const event of events) conversation.add(event)
      head = native === null ? undefined : ({ native_id: native, title: `session ${native}` } as unknown as SessionHead)
      state = { ...state, ...(native === null ? {} : { session: { native_id: native } as never }), ...changed }
      transcriptChanged()
    },
    pass: (ms) => void vi.advanceTimersByTime(ms),
  }
}

const prompt = (content: string) => ({ type: 'user', content }) as const
const answer = (text: string) => ({ type: 'assistant' as const, content: [{ type: 'text' as const, text }] })

describe('the state machine', () => {
  test('without a host it is stable; while the agent loads, works and answers it is running, then stable', async () => {
    const { chat, show, write, pass } = await play()
    expect(chat.status).toEqual({ status: 'stable', waiting_for: null, session_id: null, title: null, exited: null })
    show({ state: 'working', drawn: false, printed: false, screen: '' })
    expect(chat.status.status).toBe('running')
    show({})
    expect(chat.status.status).toBe('stable')
    show({ state: 'working', drawn: false })
    write(sampleLog(prompt('go')))
    expect(chat.status).toMatchObject({ status: 'running', title: 'session n1', session_id: sessionId('made', 'n1') })
    // The answer is in the transcript, but the screen is still being drawn; then it has been over for long enough.
    write(sampleLog(prompt('go'), answer('done')))
    expect(chat.status.status).toBe('running')
    pass(5100)
    expect(chat.status.status).toBe('stable')
  })

  test('an open turn in which nothing changes any more is waiting for the user', async () => {
    const { chat, show, write, pass } = await play()
    show({})
    write(sampleLog(prompt('go')))
    show({ screen: 'a question that no pattern matches' })
    expect(chat.status.status).toBe('running')
    pass(7100)
    expect(chat.status.status).toBe('stable')
  })

  test('a dialog is stable with what it waits for, and is one event', async () => {
    const { chat, show, events } = await play()
    show({ dialog: { id: 'trust', asks: 'asks whether you trust this folder' } })
    expect(chat.status).toMatchObject({
      status: 'stable',
      waiting_for: { id: '77-1', text: 'asks whether you trust this folder', details: '', choices: [] },
    })
    show({ dialog: { id: 'trust', asks: 'asks whether you trust this folder' }, screen: 'drawn again' })
    expect(events()).toEqual(['status_change stable'])
  })

  test('a question has an id of its own, also if it is asked twice; moving its mark changes nothing', async () => {
    const { chat, show, events } = await play()
    const question = { text: 'Run it?', details: 'rm -rf build', choices: ['Yes', 'No'], marked: 0 }
    const dialog = { id: 'question', asks: 'asks: Run it?' }
    show({ dialog, question })
    const choices = [
      { key: '1', label: 'Yes' },
      { key: '2', label: 'No' },
    ]
    expect(chat.status.waiting_for).toEqual({ id: '77-1', text: 'Run it?', details: 'rm -rf build', choices })
    show({ dialog, question: { ...question, marked: 1 } })
    expect(chat.status.waiting_for?.id).toBe('77-1')
    show({})
    show({ dialog, question })
    expect(chat.status.waiting_for?.id).toBe('77-2')
    expect(events()).toEqual(['status_change stable'])
  })

  test('a message that is being sent: running until it is in the transcript, refused, or not seen for a while', async () => {
    const { chat, show, write, pass } = await play()
    show({})
    write(sampleLog(prompt('one'), answer('1')))
    pass(6000)
    expect(chat.status.status).toBe('stable')
    chat.beginSending()
    expect(chat.status.status).toBe('running')
    chat.endSending()
    expect(chat.status.status).toBe('stable')
    chat.beginSending()
    chat.endSending('/clear')
    expect(chat.status.status).toBe('running')
    pass(5100)
    expect(chat.status.status).toBe('stable')
    chat.beginSending()
    write(sampleLog(prompt('one'), answer('1'), prompt('two'), answer('2')))
    chat.endSending('two')
    pass(5100)
    expect(chat.status.status).toBe('stable')
  })

  test('a message that is being sent is not given up because a command was sent some time ago', async () => {
    const { chat, show, write, pass } = await play()
    show({})
    write(sampleLog(prompt('one'), answer('1')))
    chat.beginSending()
    chat.endSending('/clear')
    pass(4000)
    chat.beginSending()
    pass(2000)
    expect(chat.status.status).toBe('running')
  })

  test('the prompt of the start is pending until it arrives; after half a minute without any change it is given up', async () => {
    const { chat, show, write, pass } = await play()
    const run = { run: 'r', prompt: { hash: 'h', state: 'handed over' } } as unknown as TaskState['runs'][number]
    show({})
    write([], { native: null, state: { runs: [run] } })
    expect(chat.status.status).toBe('running')
    pass(29_000)
    expect(chat.status.status).toBe('running')
    show({ screen: 'ready >' })
    pass(30_100)
    expect(chat.status.status).toBe('stable')
  })

  test('an agent that has ended: its exit code as soon as its host is gone, and none again when it is started again', async () => {
    const { chat, show, write } = await play()
    show({})
    const run = { run: 'r', exit: { code: 3, signal: null } } as unknown as TaskState['runs'][number]
    write(sampleLog(prompt('go'), answer('done')), { state: { runs: [run] } })
    expect(chat.status.exited).toBeNull()
    show(undefined)
    expect(chat.status).toMatchObject({ status: 'stable', exited: 3 })
    show({ agent_pid: 78 })
    expect(chat.status.exited).toBeNull()
  })

  test('another session of the task: the messages before it stay, under their ids', async () => {
    const { chat, write } = await play()
    write(sampleLog(prompt('one'), answer('1')))
    write(sampleLog({ ...prompt('two'), id: 'other' }), { native: 'n2' })
    expect(chat.messages.map(({ id, content }) => [id, content])).toEqual([
      [0, 'one'],
      [1, '1'],
      [2, 'two'],
    ])
    expect(chat.status.session_id).toBe(sessionId('made', 'n2'))
    expect(chat.saved('first').ion).toMatchObject({ session: 'n2', earlier: 2 })
  })

  test('a session that cannot be read: the saved messages are shown and saved again unchanged', async () => {
    const before = await play()
    before.write(sampleLog(prompt('one'), answer('1')))
    const saved = before.chat.saved('first')
    const { chat, write } = await play(saved)
    write([], { native: null, state: { session: { native_id: 'n1' } as never } })
    expect(chat.messages.map(({ content }) => content)).toEqual(['one', '1'])
    expect(chat.saved('first').messages).toEqual(saved.messages)
  })

  test('a message that grows is one event with its last text; unchanged messages are not sent again', async () => {
    const { chat, write, events } = await play()
    write(sampleLog(prompt('go'), answer('a')))
    const [first] = chat.messages
    write(sampleLog(prompt('go'), answer('a'), answer('b')))
    expect(chat.messages[0]).toBe(first)
    expect(events().filter((event) => event.startsWith('message_update'))).toEqual([
      'message_update 0 go',
      'message_update 1 a\n\nb',
    ])
  })

  test('errors are sent now and to later readers, up to a hundred; listeners are called for every change until they unsubscribe', async () => {
    const { chat } = await play()
    let calls = 0
    const unsubscribe = chat.onChange(() => calls++)
    for (let n = 0; n < 150; n++) chat.addError(`error ${n}`, 'warning')
    unsubscribe()
    chat.addError('the last', 'error')
    expect(calls).toBe(150)
    const { rest } = chat.events.current(undefined)
    expect(rest).toHaveLength(101)
    expect(rest.at(-1)!.serialize(0, 'full')).toContain('"message":"the last","level":"error"')
  })

  test('a reader that has the messages up to an id gets the others; the screen is a stream of its own', async () => {
    const { chat, write, show } = await play()
    write(sampleLog(prompt('one'), answer('1'), prompt('two')))
    expect(chat.events.current(undefined).history).toHaveLength(3)
    expect(chat.events.current(2).history).toHaveLength(1)
    expect(chat.events.current(7).history).toEqual([])
    show({ screen: 'one' })
    show({ screen: 'two' })
    const [screen] = chat.screens.current(undefined).rest
    expect(screen!.serialize(0, 'full')).toContain('{"screen":"two"}')
  })
})

describe('what the agent is writing', () => {
  const prompt = { type: 'user', content: 'why?' } as const
  const said = (text: string) => ({ type: 'assistant' as const, content: [{ type: 'text' as const, text }] })
  const screen = (...rows: string[]) => ({ state: 'working', drawn: false, answer: { rows, begins: true } }) as const

  /** As readers of each form get it, without the status. */
  function read({ chat }: Scene, form: EventForm): string[] {
    const all: string[] = []
    for (let change = chat.log.next(0); change; change = chat.log.next(change.seq)) {
      const [, name, data] = /^event: (\w+)\ndata: (.*)\n/.exec(change.value.serialize(0, form)) ?? []
      const { id, message, text } = JSON.parse(data ?? '{}')
      if (name && name !== 'status_change') all.push(`${name} ${id} ${message ?? text}`)
    }
    return all
  }

  test('is shown from the screen until the transcript has it, under the id that its message will have', async () => {
    const scene = await play()
    scene.show({ state: 'working', drawn: false })
    scene.write(sampleLog(prompt))
    scene.show(screen('Because'))
    scene.pass(200)
    expect(scene.chat.preview).toEqual({ id: 1, text: 'Because' })
    expect(read(scene, 'full')).toEqual(['message_update 0 why?', 'message_preview 1 Because'])
    expect(read(scene, 'agentapi')).toEqual(['message_update 0 why?', 'message_update 1 Because'])
    expect(scene.chat.messages.map(({ content }) => content)).toEqual(['why?'])
    expect(scene.chat.saved('').messages.map(({ message }) => message)).toEqual(['why?'])

    scene.show(screen('Because of the cart.', 'It is empty.'))
    scene.pass(200)
    expect(scene.chat.preview?.text).toBe('Because of the cart.\nIt is empty.')
    scene.write(sampleLog(prompt, said('Because of *the cart*. It is empty.')))
    scene.pass(200)
    expect(scene.chat.preview).toBeNull()
    expect(read(scene, 'full')).toEqual([
      'message_update 0 why?',
      'message_update 1 Because of *the cart*. It is empty.',
      'message_preview 1 ',
    ])
    expect(read(scene, 'agentapi')).toEqual([
      'message_update 0 why?',
      'message_update 1 Because of *the cart*. It is empty.',
    ])
  })

  test('follows what is stored of the same turn', async () => {
    const scene = await play()
    scene.show({ state: 'working', drawn: false })
    scene.write(sampleLog(prompt, said('I will look.')))
    scene.show(screen('It is'))
    scene.pass(200)
    scene.show(screen('It is empty'))
    scene.pass(200)
    expect(read(scene, 'agentapi')).toEqual([
      'message_update 0 why?',
      'message_update 1 I will look.',
      'message_update 1 I will look.\n\nIt is empty',
    ])
  })

  test('is gone some time after the turn was interrupted', async () => {
    const scene = await play()
    scene.show({ state: 'working', drawn: false })
    scene.write(sampleLog(prompt, said('I will look.')))
    scene.show(screen('It is'))
    scene.pass(200)
    scene.show({ ...screen('It is'), state: 'waiting', drawn: true })
    scene.pass(20_000)
    expect(scene.chat.status.status).toBe('stable')
    expect(scene.chat.preview).toBeNull()
    expect(read(scene, 'agentapi')).toEqual(['message_update 0 why?', 'message_update 1 I will look.'])
    // The next turn does not show it again.
    scene.chat.beginSending()
    scene.show({ ...screen('It is'), state: 'working', drawn: false })
    scene.pass(200)
    expect(scene.chat.preview).toBeNull()
  })

  test('is not an answer that was on the screen before', async () => {
    const scene = await play()
    scene.write(sampleLog(prompt, said('It is empty.'), { type: 'user', content: 'really?' }))
    scene.show(screen('It is empty.'))
    scene.pass(200)
    expect(scene.chat.preview).toBeNull()
  })
})

describe('a prompt that the agent has accepted and not stored', () => {
  const answered = sampleLog(prompt('one'), answer('1'))
  const screen = (...rows: string[]) => ({ state: 'working', drawn: false, answer: { rows, begins: true } }) as const
  const texts = ({ chat }: Scene): unknown[] => chat.messages.map(({ id, role, content }) => [id, role, content])
  const before = [
    [0, 'user', 'one'],
    [1, 'agent', '1'],
  ]

  /** The first turn is over, and a message was accepted. */
  async function sent(text: string): Promise<Scene> {
    const scene = await play()
    scene.show({})
    scene.write(answered)
    scene.pass(6000)
    scene.chat.beginSending()
    scene.show({ state: 'working', drawn: false, isWorking: true })
    scene.chat.endSending(text)
    return scene
  }

  test('is the last message, and so is its answer, under the ids that both have when they are stored', async () => {
    const scene = await sent('two')
    expect(scene.chat.messages.at(-1)).toEqual({
      id: 2,
      role: 'user',
      content: 'two',
      time: expect.stringMatching(/^\d{4}-/),
      parts: [{ type: 'text', text: 'two' }],
      done: true,
    })
    scene.show({ ...screen('It is'), isWorking: true })
    scene.pass(200)
    expect(scene.chat.preview).toEqual({ id: 3, text: 'It is' })
    scene.pass(60_000)
    expect([scene.chat.status.status, ...texts(scene)]).toEqual(['running', ...before, [2, 'user', 'two']])
    // Only what is stored is saved.
    expect(scene.chat.saved('').messages.map(({ message }) => message)).toEqual(['one', '1'])
    expect(scene.chat.saved('').ion?.earlier).toBe(0)
    scene.write(sampleLog(prompt('one'), answer('1'), prompt('two'), answer('It is 2.')))
    scene.pass(200)
    expect(texts(scene)).toEqual([...before, [2, 'user', 'two'], [3, 'agent', 'It is 2.']])
    expect(scene.chat.preview).toBeNull()
  })

  test('disappears some time after a turn that ends without it; what comes next has a larger id', async () => {
    const scene = await sent('two')
    scene.show({ input: '', isAtInput: true, isWorking: false })
    scene.pass(1500)
    expect([scene.chat.status.status, ...texts(scene)]).toEqual(['stable', ...before, [2, 'user', 'two']])
    scene.pass(3000)
    expect(texts(scene)).toEqual(before)
    expect(scene.events()).toEqual([
      'message_update 0 one',
      'message_update 1 1',
      'status_change stable',
      'message_removed 2',
      'agent_error  Made has not stored the last message; its terminal may show why',
    ])
    scene.write(sampleLog(prompt('one'), answer('1'), prompt('three')))
    expect(texts(scene)).toEqual([...before, [3, 'user', 'three']])
  })

  test('stays while the agent asks something', async () => {
    const scene = await sent('two')
    scene.show({ dialog: { id: 'question', asks: 'asks: Run it?' } })
    scene.pass(60_000)
    expect(texts(scene)).toEqual([...before, [2, 'user', 'two']])
  })

  test('disappears some time after its agent has ended, even if that is started again', async () => {
    const scene = await sent('two')
    scene.show(undefined)
    scene.pass(1000)
    scene.show({ agent_pid: 78, state: 'working', isWorking: true })
    expect(texts(scene)).toEqual([...before, [2, 'user', 'two']])
    scene.pass(2500)
    expect(texts(scene)).toEqual(before)
  })

  test('what is answered in its turn is part of that turn', async () => {
    const scene = await sent('two')
    const at = new Date(Date.now() + 60_000).toISOString()
    const given = { question: 'Run it?', details: '', choice: 'Yes', by: 'page' }
    const recorded = { at, session: 'n1', earlier: 0, after: 'e2', ...given }
    scene.write(answered, { answers: [recorded] })
    const text = 'Yes · asked: Run it? · answered on the page'
    const note = { type: 'note', subtype: 'answered', text, answer: { ...given, time: at } }
    expect(scene.chat.messages.slice(1)).toEqual([
      {
        id: 1,
        role: 'agent',
        content: '1',
        time: expect.any(String),
        parts: [{ type: 'text', text: '1' }],
        done: true,
      },
      {
        id: 2,
        role: 'user',
        content: 'two',
        time: expect.any(String),
        parts: [{ type: 'text', text: 'two' }],
        done: true,
      },
      { id: 3, role: 'agent', content: '', time: expect.any(String), parts: [note], done: false },
    ])
    expect(scene.chat.saved('').messages.map(({ message }) => message)).toEqual(['one', '1'])
    scene.show({ ...screen('It is'), isWorking: true })
    scene.pass(200)
    expect(scene.chat.preview).toEqual({ id: 3, text: 'It is' })
  })

  test('gives its place to the next one', async () => {
    const scene = await sent('two')
    scene.chat.beginSending()
    scene.chat.endSending('three')
    expect(texts(scene)).toEqual([...before, [3, 'user', 'three']])
  })

  test('commands of the agent are not shown', async () => {
    expect(texts(await sent('/clear'))).toEqual(before)
  })

  test('may be the prompt of the start, also one that was stored before anybody looked', async () => {
    const scene = await play()
    const { folder } = scene.chat.task
    savePrompt('two', folder)
    const run = {
      run: 'r',
      plannedAt: '2026-03-12T14:00:02.500Z',
      process: { pid: 77 },
      prompt: { ...promptIdentity('two'), state: 'handed over', at: '' },
    } as unknown as TaskState['runs'][number]
    scene.show({ state: 'working', drawn: false })
    scene.write([], { native: null, state: { runs: [run] } })
    expect(texts(scene)).toEqual([[0, 'user', 'two']])
    scene.write(sampleLog(prompt('two'), answer('2')), { state: { runs: [run] } })
    expect(texts(scene)).toEqual([
      [0, 'user', 'two'],
      [1, 'agent', '2'],
    ])
    const late = await play()
    savePrompt('two', late.chat.task.folder)
    late.write(sampleLog(prompt('one'), answer('1'), prompt('two')), { state: { runs: [run] } })
    expect(texts(late)).toEqual([...before, [2, 'user', 'two']])
  })

  test('a start whose agent has ended has no prompt to wait for', async () => {
    const scene = await play()
    savePrompt('two', scene.chat.task.folder)
    const run = {
      run: 'r',
      process: { pid: 77 },
      exit: { code: 1, signal: null },
      prompt: { ...promptIdentity('two'), state: 'pending', at: '' },
    } as unknown as TaskState['runs'][number]
    scene.write([], { native: null, state: { runs: [run] } })
    expect(texts(scene)).toEqual([])
  })
})
