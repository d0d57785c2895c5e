import { effect, signal } from '@preact/signals'
import { clockAhead, isWorking, status } from './agent.ts'
import { isLoaded, messages } from './conversation.ts'
import { currentTurn, type Turn } from './turn.ts'

/** Survives a reload: some agents write a prompt only when its turn is over. */
const STORED = 'ion-turn'

/** The turn that the agent is working on. */
export const turn = signal<Turn | undefined>(storedTurn())

effect(() => {
  if (!status.value || !isLoaded.value) return
  const now = isWorking.value ? currentTurn(messages.value, turn.peek(), serverTime(Date.now())) : undefined
  turn.value = now
  if (now) sessionStorage.setItem(STORED, JSON.stringify(now))
  else sessionStorage.removeItem(STORED)
})

/** A time of this machine on the server's clock, which transcripts are written with. */
export function serverTime(local: number): number {
  return local + clockAhead.peek()
}

function storedTurn(): Turn | undefined {
  try {
    const { prompt, since } = JSON.parse(sessionStorage.getItem(STORED) ?? '') as Partial<Turn>
    return typeof prompt === 'number' && typeof since === 'number' ? { prompt, since } : undefined
  } catch {
    return undefined
  }
}
