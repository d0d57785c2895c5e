import { writeNotice } from '../../../host/log.ts'
import { type ExitKind, IonError, messageOf } from '../../../platform/error.ts'
import type { Context, Options } from '../../command.ts'
import type { ServerNews } from '../serve/background.ts'
import { type ServeOrder, startServing } from '../serve/serve-config.ts'
import { serveUntilSignal } from '../serve/serve-until-signal.ts'

export async function run(_args: unknown, _options: Options, { io }: Context): Promise<ExitKind> {
  if (!process.send) throw new IonError('usage', 'this is started by Ion itself', { hint: 'ion serve --detach' })
  const order = await orderFromLauncher()
  const note = (line: string): void => writeNotice(order.task.folder, io.now(), `serve: ${line}`)
  process.on('uncaughtException', (error) => note(`inner error: ${error.stack ?? messageOf(error)}`))
  try {
    const serving = await startServing(order, io)
    tell({ type: 'listening', port: serving.port, url: serving.url })
    note(`listening at ${serving.url}`)
    note(`ended by ${await serveUntilSignal(order, serving, io)}`)
    return 'ok'
  } catch (error) {
    const { kind, hint } = error instanceof IonError ? error : { kind: 'failed' as const, hint: undefined }
    note(messageOf(error))
    tell({ type: 'failed', kind, message: messageOf(error), hint })
    return kind
  }
}

/** By the channel, not by arguments, which everybody on the machine can read. */
function orderFromLauncher(): Promise<ServeOrder> {
  return new Promise((resolve, reject) => {
    process.once('message', (order) => resolve(order as ServeOrder))
    process.once('disconnect', () => reject(new IonError('failed', 'whoever started this server is gone')))
  })
}

/** After that nothing binds the two. */
function tell(news: ServerNews): void {
  if (!process.connected) return
  process.send?.(news, undefined, undefined, () => {
    if (process.connected) process.disconnect()
  })
}
