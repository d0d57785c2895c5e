import { exitOnInternalError } from '../../../host/background-process.ts'
import { endingSignal } from '../../../host/background-server.ts'
import { plain } from '../../../platform/plain-text.ts'
import { exitCodeOf } from '../../../run/launch.ts'
import { runningWeb } from '../../../server/browse/registry.ts'
import { requestLink } from '../../../server/browse/serve-web.ts'
import { palette } from '../../colour.ts'
import type { Context, Run } from '../../command.ts'
import type { web } from '../../definitions/sessions.ts'
import { startDetached, stopWeb } from './background.ts'
import { openInBrowser } from './browser.ts'
import { startWeb, type WebConfig, webConfig } from './serving.ts'

export const run: Run<typeof web> = async (_args, options, context) => {
  const { io, err } = context
  if (options.stop) return stopWeb(context)
  const config = webConfig(options)
  const running = runningWeb(io)
  if (running) {
    showLink(`${running.url}/?token=${await requestLink(running.url, io)}`, options.open, context)
    const others = [
      running.read_only !== config.readOnly && (running.read_only ? 'with --read-only' : 'without --read-only'),
      !config.mayMove && config.port !== 0 && running.port !== config.port && `on port ${running.port}`,
    ].filter(Boolean)
    if (others.length > 0) {
      err.write(
        `ion: it was started ${others.join(' and ')}; to change that: ion web --stop, then this command again\n`,
      )
    }
    return 'ok'
  }
  if (options.detach) {
    const { url, token } = await startDetached(config, context)
    showLink(`${url}/?token=${token}`, options.open, context)
    err.write(`${palette(err).faint('it keeps running: ion web --stop ends it')}\n`)
    return 'ok'
  }
  return serveHere(config, options.open, context)
}

/** Until a signal comes, or the terminal is closed. */
async function serveHere(config: WebConfig, opens: boolean, context: Context): Promise<number> {
  const { io, out, err } = context
  const ending = endingSignal()
  const notice = (line: string): void => err.write(`ion: ${plain(line)}\n`)
  const server = await startWeb(config, io, notice)
  exitOnInternalError((line) => notice(`web: ${line}`))
  if (config.mayMove && server.port !== config.port) notice(`port ${config.port} is in use; using port ${server.port}`)
  showLink(`${server.url}/?token=${server.link()}`, opens, context)
  err.write(`${palette(err).faint('the link works once; Ctrl-C ends the server')}\n`)
  const signal = await ending
  await server.close()
  out.write('stopped\n')
  return signal === 'SIGINT' || signal === 'SIGTERM' ? 0 : exitCodeOf({ code: null, signal })
}

/** The link alone on stdout, for scripts. */
function showLink(link: string, opens: boolean, context: Context): void {
  context.out.write(`${link}\n`)
  if (opens) openInBrowser(link, context)
}
