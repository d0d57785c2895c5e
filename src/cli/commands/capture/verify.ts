import { agents } from '../../../agents/_registry.ts'
import type { ExitKind } from '../../../platform/error.ts'
import { plain } from '../../../platform/plain-text.ts'
import { Vault } from '../../../vault/vault.ts'
import type { Context, Options } from '../../command.ts'
import { pluralize } from '../../pluralize.ts'
import { progressLine } from '../../progress.ts'
import { bytes } from '../../text.ts'

/** Reads every exact copy back, and names each that is not what was written. */
export function verify(options: Options, context: Context): ExitKind {
  const { io, out } = context
  const progress = progressLine(context)
  const total = { sessions: 0, bytes: 0, damaged: 0 }
  for (const one of new Vault(io).verify(agents)) {
    progress.onProgress({ phase: 'reading copies', done: total.sessions, total: 0 })
    total.sessions++
    total.bytes += one.bytes
    if (one.problem !== undefined) total.damaged++
    if (options.json) out.write(`${JSON.stringify({ ...one, problem: one.problem ?? null })}\n`)
    else if (one.problem !== undefined) {
      progress.clear()
      out.write(`${one.agent} ${one.id}: ${plain(one.problem)}\n`)
    }
  }
  progress.clear()
  if (!options.json) {
    const good = total.damaged === 0 ? 'all are what was written' : `${total.damaged} damaged`
    out.write(`${pluralize(total.sessions, 'copy', 'copies')} of ${bytes(total.bytes)} read back: ${good}\n`)
  }
  return total.damaged ? 'failed' : 'ok'
}
