import { waitUntil } from '../platform/wait.ts'
import type { Chat } from './chat.ts'

const [END_OF_LINE, DELETE_TO_START, BACKSPACE, DELETE_TO_END, DELETE] = ['\x05', '\x15', '\x7f', '\x0b', '\x1b[3~']
/** Long enough for an agent to draw the effect of a key, also on a busy machine. */
const EFFECT_MS = 1000

/**
 * Empties the agent's input box of what a user or a rewind left in it, one key at a time: several at once are a paste for
 * some agents. Returns whether it is empty.
 */
export async function clearInput({ host }: Pick<Chat, 'host'>, deadline: number): Promise<boolean> {
  const box = (): string | null | undefined => host.view?.input
  while (box()) {
    const before = box()
    for (const key of [DELETE_TO_START, BACKSPACE, END_OF_LINE, DELETE_TO_START, DELETE_TO_END, DELETE]) {
      if (performance.now() > deadline || !(await host.type(key, { if: { question: null } }))) return false
      if (await waitUntil(() => box() !== before, EFFECT_MS)) break
    }
    if (box() === before) return false
  }
  return box() === ''
}
