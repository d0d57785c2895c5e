import { realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { IonError } from '../../../platform/error.ts'
import type { Io } from '../../../platform/io.ts'
import { version } from '../../../platform/version.ts'
import type { RunningWeb } from '../../../server/browse/serve-web.ts'

/** Plain data, so that it can be sent to the background process. */
export interface WebConfig {
  readonly port: number
  /** The port is the default: another one will do. */
  readonly mayMove: boolean
  readonly readOnly: boolean
}

/** What the background process reports. */
export interface WebReport {
  readonly type: 'listening'
  readonly url: string
  /** Of the first link. */
  readonly token: string
}

const PORT = 4466

export function webConfig({
  port,
  readOnly,
}: {
  readonly port: string | undefined
  readonly readOnly: boolean
}): WebConfig {
  if (port === undefined) return { port: PORT, mayMove: true, readOnly }
  if (/^\d{1,5}$/.test(port) && Number(port) <= 65_535) return { port: Number(port), mayMove: false, readOnly }
  throw new IonError('usage', `invalid --port "${port}": expected a number from 0 to 65535`, { hint: 'ion web --help' })
}

/** Serves in this process. */
export async function startWeb(config: WebConfig, io: Io, onTrouble: (line: string) => void): Promise<RunningWeb> {
  const program = process.argv[1]!
  const installed = dirname(realpathSync(program))
  const [{ serveWeb }, { usageSource }] = await Promise.all([
    import('../../../server/browse/serve-web.ts'),
    import('../../../server/browse/usage-source.ts'),
  ])
  return serveWeb({
    ...config,
    ...usageSource(io),
    io,
    version,
    program,
    webFolder: join(installed, 'web'),
    workerFile: join(installed, 'document-worker.mjs'),
    onTrouble,
  })
}
