import { waitUntil } from '../platform/wait-until.ts'
import { DEFAULT_TASK } from '../run/task.ts'
import type { Chat } from './chat.ts'

/** Why a message was not sent. */
export class MessageNotSent extends Error {
  constructor(why: string) {
    super(`failed to send message: ${why}`)
    this.name = 'NotSent'
  }
}

/** The whole of it, so that no request hangs. */
const LONGEST_MS = 10_000
/** What was pasted shows on the screen within this time, in most agents. */
const ECHO_MS = 2000
/** After that it stands still for a moment before Enter is pressed: an Enter that comes with the paste is part of it for some. */
const SETTLE_MS = 120
/** An Enter that changed nothing is pressed once more. */
const AGAIN_MS = 3000
/** When the screen has reacted, most agents have written it down within this time; then whoever asks next sees it. */
const WRITTEN_MS = 1500

/** Types a message and presses Enter, as the user would. Returns when the agent has taken it, throws `NotSent` when not. */
export async function sendMessage(chat: Chat, given: string): Promise<void> {
  const text = typeable(given).trim()
  if (text === '') throw new MessageNotSent('message must not be empty')
  refuseUnlessWaiting(chat)
  chat.beginSending()
  let isSent = false
  try {
    await typed(chat, text)
    isSent = true
  } finally {
    chat.endSending(isSent)
  }
}

function refuseUnlessWaiting(chat: Chat): void {
  const { status, waiting_for, exited } = chat.status
  if (exited !== null)
    throw new MessageNotSent(`the agent has ended with exit code ${exited}; open it again: ${opening(chat)}`)
  if (!chat.host.view) throw new MessageNotSent('no agent is running in the background')
  if (waiting_for !== null)
    throw new MessageNotSent(`the agent shows a dialog that asks something else (${waiting_for})`)
  if (status !== 'stable') throw new MessageNotSent('message can only be sent when the agent is waiting for user input')
}

function opening({ agent, task }: Chat): string {
  return ['ion run', agent.id, ...(task.name === DEFAULT_TASK ? [] : ['--task', task.name]), '--detach'].join(' ')
}

/** Without what a terminal would take for a key: a text must not press Escape, nor end the paste that it is in. */
function typeable(text: string): string {
  return text.replace(/\r\n?/g, '\n').replace(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/g, '')
}

async function typed(chat: Chat, text: string): Promise<void> {
  const { host, transcript } = chat
  const end = performance.now() + LONGEST_MS
  const prompts = transcript.conversation.prompts
  const screen = (): string => host.view?.screen ?? ''
  const before = screen()
  if (!(await host.type(text, true))) throw new MessageNotSent('the agent takes no input')
  await waitUntil(() => screen() !== before, ECHO_MS)
  await still(screen, ECHO_MS)
  const pasted = screen()
  const isWritten = (): boolean => transcript.conversation.prompts !== prompts
  const isTaken = (): boolean => isWritten() || screen() !== pasted
  for (let tries = 0; tries < 2; tries++) {
    if (!(await host.type('\r'))) throw new MessageNotSent('the agent takes no input')
    const left = end - performance.now()
    if (!(await waitUntil(isTaken, tries === 0 ? Math.min(AGAIN_MS, left) : left))) continue
    await waitUntil(() => {
      // Not every store tells when it changes.
      transcript.lookSoon()
      return isWritten()
    }, WRITTEN_MS)
    return
  }
  throw new MessageNotSent(`the agent did not react within ${LONGEST_MS / 1000} seconds`)
}

async function still(look: () => string, withinMs: number): Promise<void> {
  const end = performance.now() + withinMs
  let [last, since] = [look(), performance.now()]
  await waitUntil(() => {
    const now = look()
    if (now !== last) [last, since] = [now, performance.now()]
    return performance.now() - since >= SETTLE_MS
  }, end - performance.now())
}
