import { waitUntil } from '../platform/wait.ts'
import type { Chat } from './chat.ts'

const [END_OF_LINE, DELETE_TO_START, BACKSPACE, DELETE_TO_END, DELETE] = ['\x05', '\x15', '\x7f', '\x0b', '\x1b[3~']
/** For a cursor that is not at the end of the text. */
const OTHERS = [END_OF_LINE, DELETE_TO_START, DELETE_TO_END, DELETE]
/** Long enough for an agent to draw the effect of a key, also on a busy machine. */
const EFFECT_MS = 1000

/**
 * Empties the agent's input box of what a user or a rewind left in it, one key at a time: several at once are a paste for
 * some agents. Returns whether it is empty.
 */
export async function clearInput({ host }: Pick<Chat, 'host'>, deadline: number): Promise<boolean> {
  const box = (): string | null | undefined => host.view?.input
  const screen = (): string | undefined => host.view?.screen
  let first = [DELETE_TO_START, BACKSPACE]
  while (box()) {
    const before = box()
    const isChanged = (): boolean => box() !== before
    let last = ''
    for (const key of [...first, ...OTHERS]) {
      const shown = screen()
      if (performance.now() > deadline || !(await host.type(key, { if: { question: null } }))) return false
      last = key
      // A line break at the end may be on the screen and not in what was read.
      await waitUntil(() => isChanged() || screen() !== shown, EFFECT_MS)
      if (isChanged()) break
    }
    if (!(await waitUntil(isChanged, EFFECT_MS))) return false
    // A key without effect takes long: of a line that was just deleted, only its line break is left.
    first = last === DELETE_TO_START ? [BACKSPACE, DELETE_TO_START] : [DELETE_TO_START, BACKSPACE]
  }
  return box() === ''
}
