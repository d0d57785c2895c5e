import { effect, signal } from '@preact/signals'
import { clockAhead, isWorking, status } from './agent.ts'
import { isLoaded, messages } from './conversation.ts'
import { tabStorage } from './tab-storage.ts'
import { currentTurn, type Turn } from './turn.ts'

/** Some agents write a prompt only when its turn is over. */
const storage = tabStorage('ion-turn')

/** The turn that the agent is working on. */
export const turn = signal<Turn | undefined>(undefined)

/** From now on the turn survives a reload. */
export function keepTurn(): void {
  turn.value = storedTurn()
  effect(() => {
    if (!status.value || !isLoaded.value) return
    const now = isWorking.value ? currentTurn(messages.value, turn.peek(), serverTime(Date.now())) : undefined
    turn.value = now
    storage.write(now ? JSON.stringify(now) : '')
  })
}

/** A time of this machine on the server's clock, which transcripts are written with. */
export function serverTime(local: number): number {
  return local + clockAhead.peek()
}

function storedTurn(): Turn | undefined {
  try {
    const { prompt, since } = JSON.parse(storage.read()) as Partial<Turn>
    return typeof prompt === 'number' && typeof since === 'number' ? { prompt, since } : undefined
  } catch {
    return undefined
  }
}
