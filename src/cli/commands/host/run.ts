import { loadAgent } from '../../../agents/load.ts'
import { runHost } from '../../../host/host.ts'
import type { Size } from '../../../host/screen.ts'
import type { StartReport } from '../../../host/start-report.ts'
import { IonError } from '../../../platform/error.ts'
import type { RunRequest } from '../../../run/request.ts'
import type { Context, Options } from '../../command.ts'

/** A request as it travels to the host: the agent by its id, for the rest is data. */
export interface HostOrder {
  readonly request: Omit<RunRequest, 'agent'> & { readonly agent: string }
  readonly size: Size
}

/** What is left over when the agent has ended must not keep the process. */
const LAST_MOMENT_MS = 2000

export async function run(_args: unknown, _options: Options, { io }: Context): Promise<number> {
  if (!process.send) throw new IonError('usage', '"ion host" is started by Ion itself', { hint: 'ion run --detach' })
  const { request, size } = await orderFromLauncher()
  const code = await runHost({ request: { ...request, agent: await loadAgent(request.agent) }, size, io, tell })
  setTimeout(() => process.exit(code), LAST_MOMENT_MS).unref()
  return code
}

/** It comes by the channel, not by arguments, which everybody on the machine can read. */
function orderFromLauncher(): Promise<HostOrder> {
  return new Promise((resolve, reject) => {
    process.once('message', (order) => resolve(order as HostOrder))
    process.once('disconnect', () => reject(new IonError('failed', 'whoever started this host is gone')))
  })
}

/** The launcher may be gone, or be killed in this moment. After the last word nothing binds the two. */
function tell(news: StartReport): void {
  if (!process.connected) return
  process.send?.(news, undefined, undefined, () => {
    if (news.type !== 'say' && process.connected) process.disconnect()
  })
}
