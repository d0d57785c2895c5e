import { clearScreenDown, createInterface, cursorTo, type Interface, moveCursor } from 'node:readline'
import { findAgent } from '../../agents/find.ts'
import type { ActiveTask } from '../../host/tasks.ts'
import { type ExitKind, IonError } from '../../platform/error.ts'
import { plain } from '../../platform/plain-text.ts'
import { answerQuestion } from '../../server/answer-question.ts'
import { Chat } from '../../server/chat.ts'
import type { Question } from '../../server/contract.ts'
import { palette } from '../colour.ts'
import type { Context } from '../command.ts'
import { width } from '../text.ts'
import { activityOf, ChatLines, previewLines } from './chat-lines.ts'
import { Outbox } from './outbox.ts'
import { type ChatCommand, chatCommands, readTyped, writeSession } from './typed-line.ts'

/** The chat of a running task in this terminal, or in a pipe. It needs no server, only the host and the transcript. */
export async function chatWith({ task }: ActiveTask, label: string, context: Context): Promise<ExitKind | number> {
  const chat = new Chat(findAgent(task.agent), task, context.io)
  try {
    await chat.begin()
    return await chatInTerminal(chat, label, context)
  } finally {
    chat.close()
  }
}

/** How many earlier messages are shown at the beginning. */
const MAX_EARLIER = 20
/** A host that is gone this long does not come back. */
const LOST_MS = 3000
/** The key that interrupts an agent, unless its adapter knows another one. */
const ESCAPE = '\x1b'

/** Shows a chat as plain lines and sends what is typed, until the user quits or the agent ends. The agent keeps running. */
async function chatInTerminal(chat: Chat, task: string, context: Context): Promise<ExitKind | number> {
  const { out } = context
  const { stdin: input, stdout: output } = process
  const isTyping = input.isTTY && out.isTTY
  const colours = palette(out)
  const lines = new ChatLines()
  const reader: Interface = createInterface({
    input,
    ...(isTyping ? { output, terminal: true } : {}),
  })
  let finish: (result: ExitKind | number | IonError) => void = () => {}
  const finished = new Promise<ExitKind | number | IonError>((resolve) => (finish = resolve))

  let prompt = ''
  /** The end of what the agent is writing, between the messages and the line that is being typed. */
  let preview: readonly string[] = []
  let isOver = false
  /** Prints above both. */
  const show = (text: readonly string[]): void => {
    const wanted = promptOf(chat, colours.faint)
    const written = isTyping ? previewLines(chat.preview, out.columns).map(colours.faint) : []
    const isSame = wanted === prompt && written.join('\n') === preview.join('\n')
    // A message that was on its way may still report something.
    if (isOver || (text.length === 0 && (!isTyping || isSame))) return
    const { rows } = isTyping ? reader.getCursorPos() : { rows: 0 }
    if (isTyping) {
      moveCursor(output, 0, -rows - preview.length)
      cursorTo(output, 0)
      clearScreenDown(output)
    }
    out.write([...text, ...written].map((line) => `${line}\n`).join(''))
    if (!isTyping) return
    preview = written
    prompt = wanted
    reader.setPrompt(prompt)
    // Otherwise it goes up by the rows that it believes are there, which are wrong after a paste.
    Object.assign(reader, { prevRows: 0 })
    reader.prompt(true)
  }
  /** A line was entered: it stays where it is, without the preview above it. */
  const dropPreview = (line: string): void => {
    if (preview.length === 0) return
    const rows = Math.floor(width(`${plain(prompt)}${line}`) / out.columns) + 1
    moveCursor(output, 0, -rows - preview.length)
    clearScreenDown(output)
    out.write(`${prompt}${line}\n`)
    preview = []
  }
  const say = (line: string): void => show([colours.faint(`ion: ${plain(line)}`)])
  const outbox = new Outbox(chat, {
    queued: () => say(`will be sent when ${chat.agent.title} has finished (/interrupt stops it)`),
    failed: (why) => say(`not sent: ${why}; use its own terminal: ion attach ${task}`),
  })

  const showNew = (): void => {
    const look = { columns: out.columns, colours, agentTitle: chat.agent.title }
    show(lines.next(chat.messages, look))
  }
  const act = async (name: ChatCommand, words: readonly string[]): Promise<void> => {
    if (name === 'quit') finish('ok')
    else if (name === 'help')
      show([...Object.values(chatCommands), "//word is sent as /word, for the agent's own commands"])
    else if (name === 'interrupt') {
      const isAccepted = await chat.host.type(chat.agent.start?.interrupt ?? ESCAPE)
      say(isAccepted ? 'sent an interrupt' : 'the agent accepts no input')
    } else if (name === 'history') {
      show(new ChatLines().next(chat.messages, { columns: out.columns, colours, agentTitle: chat.agent.title }))
    } else if (chat.status.session_id === null) say('no session yet')
    else await writeSession(name, words, chat.status.session_id, context, say)
  }
  let isActing = false
  /** The next line of a pipe waits until it is done. */
  const waitFor = (work: Promise<unknown>): void => {
    isActing = true
    void work.catch((error) => finish(asIonError(error))).finally(() => (isActing = false))
  }
  const answer = async (question: string, choice: string): Promise<void> => {
    const refusal = await answerQuestion(chat, { question, choice, by: 'ion attach --chat' }, context.io)
    if (refusal) say(`not answered: ${refusal.detail}; use its own terminal: ion attach ${task}`)
  }
  const handleLine = (line: string): void => {
    const typed = readTyped(line)
    const asked = chat.status.waiting_for
    if (typed.kind === 'message' && asked?.choices.some(({ key }) => key === typed.text)) {
      waitFor(answer(asked.id, typed.text))
    } else if (typed.kind === 'message') {
      if (isTyping) lines.expect(typed.text)
      outbox.post(typed.text)
    } else if (typed.kind === 'command') waitFor(act(typed.name, typed.words))
    if (isTyping) reader.prompt(true)
  }

  let askedId: string | undefined
  let goneSince: number | undefined
  let isClosed = false
  const piped: string[] = []
  const update = (): void => {
    const { status, waiting_for, exited } = chat.status
    showNew()
    if (waiting_for?.id !== askedId) {
      askedId = waiting_for?.id
      if (waiting_for !== null) show(questionLines(waiting_for, task, colours))
    }
    void outbox.sendNext().catch((error) => finish(asIonError(error)))
    if (exited !== null) {
      say(`the agent has ended with exit code ${exited}`)
      finish(exited)
    }
    goneSince = chat.host.view ? undefined : (goneSince ?? performance.now())
    if (goneSince !== undefined && performance.now() - goneSince > LOST_MS) {
      finish(new IonError('failed', 'connection lost: the background process is gone', { hint: 'ion ps' }))
    }
    // Lines from a pipe are sent one by one, each after the previous answer.
    const isReady = outbox.isEmpty && !isActing && status === 'stable' && chat.host.view !== undefined
    if (isTyping || !isReady) return
    const line = piped.shift()
    if (line !== undefined) handleLine(line)
    else if (isClosed) finish('ok')
  }

  const earlier = chat.messages.slice(0, -MAX_EARLIER)
  lines.skip(earlier)
  if (earlier.length > 0) say(`/history shows ${earlier.length} earlier messages`)
  const stopListening = chat.onChange(update)
  // Time-outs must be noticed even if nothing changes.
  const timer = setInterval(update, 500)
  if (isTyping) handleLines(reader, dropPreview, handleLine)
  else reader.on('line', (line) => piped.push(line))
  reader
    .on('SIGINT', () => finish('ok'))
    .on('close', () => {
      isClosed = true
      if (isTyping) finish('ok')
    })
  update()
  say('type a message or /help; /quit leaves the agent running')
  try {
    const result = await finished
    if (result instanceof IonError) throw result
    return result
  } finally {
    isOver = true
    clearInterval(timer)
    stopListening()
    reader.close()
    if (isTyping) out.write('\n')
  }
}

/** Lines that arrive together were pasted and are one message. */
function handleLines(reader: Interface, entered: (line: string) => void, handle: (text: string) => void): void {
  let pasted: string[] = []
  reader.on('line', (line) => {
    entered(line)
    pasted.push(line)
    if (pasted.length > 1) return
    setImmediate(() => {
      const text = pasted.join('\n')
      pasted = []
      handle(text)
    })
  })
}

/** The number of a choice, typed as a message, answers it. */
function questionLines(
  { text, details, choices }: Question,
  task: string,
  { faint, warn }: ReturnType<typeof palette>,
): string[] {
  const how =
    choices.length > 0 ? 'type the number of your answer' : `answer it in its own terminal: ion attach ${task}`
  return [
    warn(`? ${plain(text)}`),
    ...(details === '' ? [] : details.split('\n').map((line) => faint(`  ${plain(line)}`))),
    ...choices.map(({ key, label }) => `  ${key}. ${plain(label)}`),
    faint(`ion: waiting for you: ${how}`),
  ]
}

function promptOf(chat: Chat, faint: (text: string) => string): string {
  const { status, waiting_for } = chat.status
  const doing = waiting_for?.text ?? (status === 'running' ? (activityOf(chat.messages.at(-1)) ?? 'working') : '')
  return `${chat.agent.id}${doing === '' ? '' : faint(` (${doing.slice(0, 30)})`)}> `
}

function asIonError(error: unknown): IonError {
  return error instanceof IonError ? error : new IonError('failed', String(error), { hint: 'ion ps' })
}
