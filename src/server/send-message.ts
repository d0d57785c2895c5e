import type { TypeCondition } from '../host/activity.ts'
import { waitUntil } from '../platform/wait.ts'
import type { Chat } from './chat.ts'
import { clearInput } from './clear-input.ts'
import { runCommand } from './start-agent.ts'
import { isCommand } from './unstored-prompt.ts'

/** Why a message was not sent. */
export class MessageNotSent extends Error {
  constructor(why: string) {
    super(`failed to send message: ${why}`)
    this.name = 'MessageNotSent'
  }
}

/** For the complete request, so that none hangs. */
const TIMEOUT_MS = 10_000
/** Most agents show pasted text within this time. */
const ECHO_MS = 2000
/** How long the screen must not change before Enter is pressed: some agents treat an Enter right after a paste as part of it. */
const SETTLE_MS = 120
/** If Enter changed nothing within this time, it is pressed again. */
const RETRY_MS = 3000
/** Most agents write the prompt to their transcript this soon after the screen reacts; then the next request sees it. */
const WRITTEN_MS = 1500

/** What agents show instead of a long text, and the character before it. */
const FOLDED = /(.?)\[[^[\]]*(?:paste|lines)[^[\]]*\]$/i
/** After a turn some agents redraw a part of their screen, and seem to work for no longer than this. */
const REDRAW_MS = 1000

/** Types a message and presses Enter, as the user would. Returns when the agent has accepted it. */
export async function sendMessage(chat: Chat, message: string): Promise<void> {
  const text = typeable(message).trim()
  if (text === '') throw new MessageNotSent('message must not be empty')
  const last = chat.messages.at(-1)
  if (last?.role === 'agent' && last.done) await waitUntil(() => chat.status.status === 'stable', REDRAW_MS)
  refuseUnlessWaiting(chat)
  chat.beginSending()
  let sent: string | undefined
  try {
    await typeAndSubmit(chat, text)
    sent = text
  } finally {
    chat.endSending(sent)
  }
}

function refuseUnlessWaiting(chat: Chat): void {
  const { status, waiting_for, exited } = chat.status
  if (exited !== null)
    throw new MessageNotSent(
      `the agent has ended with exit code ${exited}; start it again: ${runCommand(chat)} --detach`,
    )
  if (!chat.host.view) throw new MessageNotSent('no agent is running in the background')
  if (waiting_for !== null)
    throw new MessageNotSent(`the agent asks something else, which a message would answer: ${waiting_for.text}`)
  if (chat.host.view.input === null) throw new MessageNotSent('the agent shows no input box')
  if (status !== 'stable') throw new MessageNotSent('message can only be sent when the agent is waiting for user input')
}

/** Without control characters: text must not press Escape or end the paste it is in. */
function typeable(text: string): string {
  return text.replace(/\r\n?/g, '\n').replace(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/g, '')
}

async function typeAndSubmit(chat: Chat, text: string): Promise<void> {
  const { host, transcript } = chat
  const deadline = performance.now() + TIMEOUT_MS
  const left = (): number => deadline - performance.now()
  const prompts = transcript.conversation.prompts
  const screen = (): string => host.view?.screen ?? ''
  let pasted = await paste(chat, text, deadline)
  // Keys that somebody pressed just before may have been shown only now.
  if (isGlued(host.view?.input ?? '', text)) pasted = await paste(chat, text, deadline)
  const isWritten = (): boolean => transcript.conversation.prompts !== prompts
  // Where the box is known, the text must have left it; elsewhere any change of the screen counts.
  const isSubmitted = (): boolean =>
    isWritten() || (host.view?.input === undefined ? screen() !== pasted : !host.view.input && screen() !== pasted)
  for (const attempt of [1, 2]) {
    // Never into a question; and the second one only if the text is still there.
    const condition: TypeCondition = { question: null, ...(attempt === 2 ? { isFilled: true } : {}) }
    const isPressed = await host.type('\r', { if: condition })
    if (!isPressed && attempt === 1) throw new MessageNotSent('the agent does not accept input, or asks something')
    if (!(await waitUntil(isSubmitted, attempt === 1 ? Math.min(RETRY_MS, left()) : left()))) continue
    // Some agents store a prompt only when its turn is over, or never if the service refuses it: then their work on it counts.
    const isAccepted = await waitUntil(() => {
      // Not every store sends file events.
      transcript.lookSoon()
      return isWritten() || host.view?.isWorking === true
    }, WRITTEN_MS)
    if (isAccepted || isCommand(text)) return
    const hasReacted = (): boolean => host.view?.state !== 'waiting' || chat.status.waiting_for !== null
    if (await waitUntil(() => isWritten() || hasReacted(), left())) return
    throw new MessageNotSent('it left the input box, but the agent neither stored it nor works on it')
  }
  throw new MessageNotSent(`the agent did not react within ${TIMEOUT_MS / 1000} seconds`)
}

/** Into an empty box; returns what the screen shows then. */
async function paste(chat: Chat, text: string, deadline: number): Promise<string> {
  const { host } = chat
  const screen = (): string => host.view?.screen ?? ''
  if (host.view?.input && !(await clearInput(chat, deadline))) {
    throw new MessageNotSent('the input box holds text that could not be deleted; send or delete it in the terminal')
  }
  const before = screen()
  if (!(await host.type(withoutMenu(text), { paste: true, if: { question: null } })))
    throw new MessageNotSent('the agent does not accept input')
  // Not just anything: keys that were pressed before may be shown first.
  const isEchoed = (): boolean =>
    host.view?.input === undefined ? screen() !== before : isShown(host.view.input ?? '', text)
  await waitUntil(isEchoed, ECHO_MS)
  await untilStill(screen, ECHO_MS)
  return screen()
}

/** Many agents complete a word such as `@READ` at the end while it is typed, and Enter would choose a file in that menu. */
function withoutMenu(text: string): string {
  return /(?:^|\s)@\S*$/.test(text) ? `${text} ` : text
}

/** Whether the box shows the beginning of the text, or its end, or what an agent shows instead of a long one. */
function isShown(input: string, text: string): boolean {
  const [shown, sent] = [squeeze(input), squeeze(text)]
  return [sent.slice(0, 24), sent.slice(-24)].some((part) => shown.includes(part)) || FOLDED.test(shown)
}

/** Whether something else is before the text, or before what an agent shows instead of a long one. */
export function isGlued(input: string, text: string): boolean {
  const [shown, sent] = [squeeze(input), squeeze(text)]
  const begin = sent.slice(0, 24)
  // The same text may be there twice: the first time it was shown too late.
  return shown.lastIndexOf(begin) > sent.lastIndexOf(begin) || /[^\]]/.test(FOLDED.exec(shown)?.[1] ?? '')
}

function squeeze(long: string): string {
  return long.replace(/\s+/g, '')
}

async function untilStill(screen: () => string, withinMs: number): Promise<void> {
  let [last, since] = [screen(), performance.now()]
  await waitUntil(() => {
    const now = screen()
    if (now !== last) [last, since] = [now, performance.now()]
    return performance.now() - since >= SETTLE_MS
  }, withinMs)
}
