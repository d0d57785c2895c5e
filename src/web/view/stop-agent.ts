import { interrupt, Refused } from '../api/server.ts'
import { isReadOnly } from '../state/agent.ts'
import { announce } from '../state/announce.ts'
import { allSent } from '../state/outbox.ts'
import { tell } from '../state/overlay.ts'

export async function stopAgent(): Promise<void> {
  try {
    await allSent()
    await interrupt()
    announce('Interrupted')
  } catch (error) {
    if (error instanceof Refused && error.needsToken) isReadOnly.value = true
    tell(`Not interrupted: ${(error as Error).message}`, true)
  }
}
