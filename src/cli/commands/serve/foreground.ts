import { messageOf } from '../../../platform/error.ts'
import { plain } from '../../../platform/plain-text.ts'
import { exitCodeOf } from '../../../run/launch.ts'
import type { Context } from '../../command.ts'
import { addressWith, type ServeOrder, startServing, tokenOf } from './serve-config.ts'
import { serveUntilSignal } from './serve-until-signal.ts'

/** Serves in this process until a signal comes. */
export async function serveHere(order: ServeOrder, word: string, context: Context): Promise<number> {
  const { io, out, err } = context
  const token = tokenOf(order)
  const serving = await startServing(order, io)
  process.on('uncaughtException', (error) => err.write(`ion: serve: ${plain(messageOf(error))}\n`))
  sayWhere(order, word, serving.port, addressWith(serving.url, token), context)
  const signal = await serveUntilSignal(order, serving, io)
  out.write(`ended; ${order.ownsAgent ? 'the agent too' : `the agent goes on: ion attach ${word}`}\n`)
  return signal === 'SIGINT' || signal === 'SIGTERM' ? 0 : exitCodeOf({ code: null, signal })
}

/** The address holds the token; it is printed here and nowhere else. */
export function sayWhere(order: ServeOrder, word: string, port: number, address: string, { out, err }: Context): void {
  const { mayMove, port: wanted } = order.settings
  if (mayMove && port !== wanted) err.write(`ion: port ${wanted} is taken; ${word} is at ${port}\n`)
  out.write(`serving ${word}: ${address}\n`)
}
