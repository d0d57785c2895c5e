import { randomUUID } from 'node:crypto'
import { type Draft, textMessage } from './message.ts'

/**
 * A prompt that the agent has accepted, and that its transcript does not have yet: some agents store it only together with
 * the answer. Until then it is the last message of the conversation.
 */
export class UnstoredPrompt {
  readonly draft: Draft
  /** The keys of the prompts before it. */
  readonly #earlier: ReadonlySet<string>

  constructor(text: string, time: string, earlier: readonly Draft[]) {
    this.draft = { key: `unstored ${randomUUID()}`, time, ...textMessage('user', text) }
    this.#earlier = new Set(earlier.filter(isPrompt).map(({ key }) => key))
  }

  /** Its message in the transcript: the first prompt that was not there before. Agents change texts a little. */
  stored(drafts: readonly Draft[]): Draft | undefined {
    return drafts.find((draft) => isPrompt(draft) && !this.#earlier.has(draft.key))
  }
}

/** Commands of the agent itself are not part of the conversation. */
export function isCommand(text: string): boolean {
  return /^[/!#]/.test(text)
}

function isPrompt({ role }: Draft): boolean {
  return role === 'user'
}
