import { waitUntil } from '../platform/wait.ts'
import type { Chat } from './chat.ts'
import { runCommand } from './start-agent.ts'

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

/** Types a message and presses Enter, as the user would. Returns when the agent has accepted it. */
export async function sendMessage(chat: Chat, message: string): Promise<void> {
  const text = typeable(message).trim()
  if (text === '') throw new MessageNotSent('message must not be empty')
  refuseUnlessWaiting(chat)
  chat.beginSending()
  let isSent = false
  try {
    await typeAndSubmit(chat, text)
    isSent = true
  } finally {
    chat.endSending(isSent)
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
    throw new MessageNotSent(`the agent shows a dialog that asks something else (${waiting_for})`)
  if (status !== 'stable') throw new MessageNotSent('message can only be sent when the agent is waiting for user input')
}

/** Without control characters: text must not press Escape or end the paste it is in. */
function typeable(text: string): string {
  return text.replace(/\r\n?/g, '\n').replace(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/g, '')
}

async function typeAndSubmit(chat: Chat, text: string): Promise<void> {
  const { host, transcript } = chat
  const deadline = performance.now() + TIMEOUT_MS
  const prompts = transcript.conversation.prompts
  const screen = (): string => host.view?.screen ?? ''
  const before = screen()
  if (!(await host.type(text, true))) throw new MessageNotSent('the agent does not accept input')
  await waitUntil(() => screen() !== before, ECHO_MS)
  await untilStill(screen, ECHO_MS)
  const pasted = screen()
  const isWritten = (): boolean => transcript.conversation.prompts !== prompts
  const hasReacted = (): boolean => isWritten() || screen() !== pasted
  for (const attempt of [1, 2]) {
    if (!(await host.type('\r'))) throw new MessageNotSent('the agent does not accept input')
    const left = deadline - performance.now()
    if (!(await waitUntil(hasReacted, attempt === 1 ? Math.min(RETRY_MS, left) : left))) continue
    await waitUntil(() => {
      // Not every store sends file events.
      transcript.lookSoon()
      return isWritten()
    }, WRITTEN_MS)
    return
  }
  throw new MessageNotSent(`the agent did not react within ${TIMEOUT_MS / 1000} seconds`)
}

async function untilStill(screen: () => string, withinMs: number): Promise<void> {
  let [last, since] = [screen(), performance.now()]
  await waitUntil(() => {
    const now = screen()
    if (now !== last) [last, since] = [now, performance.now()]
    return performance.now() - since >= SETTLE_MS
  }, withinMs)
}
