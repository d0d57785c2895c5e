import { readFileSync, realpathSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { findAgent } from '../../../agents/find.ts'
import { replaceFile } from '../../../platform/atomic-file.ts'
import { isMissing } from '../../../platform/error.ts'
import type { Io } from '../../../platform/io.ts'
import { agentapiStateFile } from '../../../run/agentapi.ts'
import type { Task } from '../../../run/task.ts'
import { workerDocuments } from '../../../server/documents.ts'
import type { RunningServer } from '../../../server/serve-task.ts'
import { loadToken, type Token, tokenFile } from '../../../server/token.ts'
import { version } from '../../version.ts'
import { isLoopback, type ServeSettings } from './settings.ts'

/** What is to be served, and how; data alone, so that it can travel to another process. */
export interface ServeOrder {
  readonly agent: string
  readonly task: Task
  readonly settings: ServeSettings
  readonly prompt: string
  /** This start has started the agent, and so its end ends it. */
  readonly ownsAgent: boolean
}

/** The token, or undefined when none is asked for. */
export function tokenOf({ settings, task }: ServeOrder): Token | undefined {
  return settings.needsToken ? loadToken(settings.tokenFile ?? tokenFile(task.folder)) : undefined
}

/** The address that opens the page and hands over the token. */
export function addressWith(url: string, token: Token | undefined): string {
  return token ? `${url}?token=${token.token}` : url
}

/** Starts to serve, in this process. */
export async function startServing(order: ServeOrder, io: Io): Promise<RunningServer> {
  const { task, settings, prompt } = order
  const installed = dirname(realpathSync(process.argv[1]!))
  const { serveTask } = await import('../../../server/serve-task.ts')
  const serving = await serveTask({
    agent: findAgent(order.agent),
    task,
    host: settings.host,
    port: settings.port,
    mayMove: settings.mayMove,
    chatBasePath: settings.chatBasePath,
    allowedHosts: settings.allowedHosts,
    allowedOrigins: settings.allowedOrigins,
    token: tokenOf(order)?.token,
    protectsReads: !isLoopback(settings.host),
    stateFile: settings.stateFile ?? agentapiStateFile(task.folder),
    loadsState: settings.loadsState,
    savesState: settings.savesState,
    prompt,
    documents: workerDocuments(task, io, join(installed, 'document-worker.mjs')),
    webFolder: join(installed, 'web'),
    version,
    io,
  })
  const { pidFile } = settings
  if (pidFile !== undefined) replaceFile(pidFile, `${process.pid}\n`)
  return {
    ...serving,
    async close() {
      await serving.close()
      if (pidFile !== undefined && ownsPidFile(pidFile)) rmSync(pidFile, { force: true })
    },
  }
}

function ownsPidFile(file: string): boolean {
  try {
    return Number(readFileSync(file, 'utf8')) === process.pid
  } catch (error) {
    if (isMissing(error)) return false
    throw error
  }
}
