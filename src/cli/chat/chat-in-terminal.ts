import { clearScreenDown, createInterface, cursorTo, type Interface, moveCursor } from 'node:readline'
import type { Readable } from 'node:stream'
import { type ExitKind, IonError } from '../../platform/error.ts'
import { plain } from '../../platform/plain-text.ts'
import type { Chat } from '../../server/chat.ts'
import { palette } from '../colour.ts'
import type { Context } from '../command.ts'
import { activityOf, ChatLines } from './chat-lines.ts'
import { Outbox } from './outbox.ts'
import { type ChatCommand, chatCommands, readTyped } from './typed-line.ts'

export interface ChatStage {
  /** Where the user types; a terminal, or lines from a pipe. */
  readonly input: Readable & { readonly isTTY?: boolean }
  readonly output: NodeJS.WritableStream
  /** As it is typed after `ion attach`. */
  readonly word: string
  /** `/share` and `/export`. */
  write(name: 'share' | 'export', words: readonly string[], session: string, say: (line: string) => void): Promise<void>
}

/** Earlier messages that are shown at the beginning. */
const RECENT = 20
/** A host that is gone for so long does not come back by itself. */
const LOST_MS = 3000
/** What an agent takes for "stop that", where its adapter knows nothing else. */
const ESCAPE = '\x1b'

/** Shows a chat in plain lines and passes on what is typed, until the user leaves or the agent ends. The agent goes on. */
export async function chatInTerminal(chat: Chat, stage: ChatStage, context: Context): Promise<ExitKind | number> {
  const { out } = context
  const isTyping = stage.input.isTTY === true && out.isTTY
  const colours = palette(out)
  const lines = new ChatLines()
  const reader: Interface = createInterface({
    input: stage.input,
    ...(isTyping ? { output: stage.output, terminal: true } : {}),
  })
  let finish: (how: ExitKind | number | IonError) => void = () => {}
  const finished = new Promise<ExitKind | number | IonError>((resolve) => (finish = resolve))

  let prompt = ''
  /** Above the line that is being typed. */
  const show = (text: readonly string[]): void => {
    const wanted = promptOf(chat, colours.faint)
    if (text.length === 0 && (!isTyping || wanted === prompt)) return
    if (isTyping) {
      moveCursor(stage.output, 0, -reader.getCursorPos().rows)
      cursorTo(stage.output, 0)
      clearScreenDown(stage.output)
    }
    out.write(text.map((line) => `${line}\n`).join(''))
    if (!isTyping) return
    prompt = wanted
    reader.setPrompt(prompt)
    reader.prompt(true)
  }
  const say = (line: string): void => show([colours.faint(`ion: ${plain(line)}`)])
  const outbox = new Outbox(chat, {
    queued: () => say(`it is sent when ${chat.agent.title} has finished (/interrupt stops it)`),
    failed: (_text, why) => say(`not sent: ${why}; in its own terminal: ion attach ${stage.word}`),
  })

  const news = (): void => {
    const look = { columns: out.columns, colours, agentTitle: chat.agent.title }
    show(lines.next(chat.messages, look))
  }
  const act = async (name: ChatCommand, words: readonly string[]): Promise<void> => {
    if (name === 'quit') finish('ok')
    else if (name === 'help')
      show([...Object.values(chatCommands), '//word is sent as /word, for commands of the agent'])
    else if (name === 'interrupt') {
      const isTaken = await chat.host.type(chat.agent.start?.interrupt ?? ESCAPE)
      say(isTaken ? 'told it to stop' : 'it takes no input')
    } else if (name === 'history') {
      show(new ChatLines().next(chat.messages, { columns: out.columns, colours, agentTitle: chat.agent.title }))
    } else if (chat.status.session_id === null) say('there is no session yet')
    else await stage.write(name, words, chat.status.session_id, say)
  }
  let isActing = false
  const take = (line: string): void => {
    const typed = readTyped(line)
    if (typed.kind === 'message') {
      if (isTyping) lines.expect(typed.text)
      outbox.post(typed.text)
    } else if (typed.kind === 'command') {
      isActing = true
      void act(typed.name, typed.words)
        .catch((error) => finish(lost(error)))
        .finally(() => (isActing = false))
    }
    if (isTyping) reader.prompt()
  }

  let waitingFor: string | null = null
  let goneSince: number | undefined
  let isClosed = false
  const piped: string[] = []
  const look = (): void => {
    const { status, waiting_for, exited } = chat.status
    news()
    if (waiting_for !== waitingFor) {
      waitingFor = waiting_for
      if (waiting_for !== null) say(`waiting for you: ${waiting_for}; answer it with ion attach ${stage.word}`)
    }
    void outbox.move().catch((error) => finish(lost(error)))
    if (exited !== null) {
      say(`the agent has ended, with exit code ${exited}`)
      finish(exited)
    }
    goneSince = chat.host.view ? undefined : (goneSince ?? performance.now())
    if (goneSince !== undefined && performance.now() - goneSince > LOST_MS) {
      finish(new IonError('failed', 'the connection is lost: its host is gone', { hint: 'ion ps' }))
    }
    // A pipe goes on when the answer is there, line by line, and leaves after the last one.
    const isCalm = outbox.isEmpty && !isActing && status === 'stable' && chat.host.view !== undefined
    if (isTyping || !isCalm) return
    const line = piped.shift()
    if (line !== undefined) take(line)
    else if (isClosed) finish('ok')
  }

  const earlier = chat.messages.slice(0, -RECENT)
  lines.skip(earlier)
  if (earlier.length > 0) say(`${earlier.length} earlier messages: /history`)
  const stopListening = chat.onChange(look)
  // Nothing may change any more, and yet something be due.
  const timer = setInterval(look, 500)
  if (isTyping) takeLines(reader, take)
  else reader.on('line', (line) => piped.push(line))
  reader
    .on('SIGINT', () => finish('ok'))
    .on('close', () => {
      isClosed = true
      if (isTyping) finish('ok')
    })
  look()
  say('type a message, or /help; /quit leaves, and the agent goes on')
  try {
    const how = await finished
    if (how instanceof IonError) throw how
    return how
  } finally {
    clearInterval(timer)
    stopListening()
    reader.close()
    if (isTyping) out.write('\n')
  }
}

/** Lines that come in one piece were pasted, and are one message. */
function takeLines(reader: Interface, take: (text: string) => void): void {
  let pasted: string[] = []
  reader.on('line', (line) => {
    pasted.push(line)
    if (pasted.length > 1) return
    setImmediate(() => {
      const text = pasted.join('\n')
      pasted = []
      take(text)
    })
  })
}

function promptOf(chat: Chat, faint: (text: string) => string): string {
  const { status, waiting_for } = chat.status
  const doing = waiting_for ?? (status === 'running' ? (activityOf(chat.messages.at(-1)) ?? 'working') : '')
  return `${chat.agent.id}${doing === '' ? '' : faint(` (${doing.slice(0, 30)})`)}> `
}

function lost(error: unknown): IonError {
  return error instanceof IonError ? error : new IonError('failed', String(error), { hint: 'ion ps' })
}
