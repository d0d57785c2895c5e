import { readFileSync, realpathSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { findAgent } from '../../../agents/find.ts'
import { DEFAULT_GRACE_MS, stopTask } from '../../../host/stop.ts'
import { activeTask } from '../../../host/tasks.ts'
import { replaceFile } from '../../../platform/atomic-file.ts'
import { isMissing } from '../../../platform/error.ts'
import type { Io } from '../../../platform/io.ts'
import { version } from '../../../platform/version.ts'
import { currentReplica, summaryOf } from '../../../replica/status.ts'
import { agentapiStateFile } from '../../../run/agentapi.ts'
import type { Task } from '../../../run/task.ts'
import { workerDocuments } from '../../../server/documents.ts'
import type { RunningServer } from '../../../server/serve-task.ts'
import { loadToken, type Token, tokenFile } from '../../../server/token.ts'
import type { ServeSettings } from './settings.ts'

/** What is to be served, and how. Plain data, so that it can be sent to another process. */
export interface ServeConfig {
  readonly agent: string
  readonly task: Task
  /** The user's folder. */
  readonly cwd: string
  readonly settings: ServeSettings
  readonly prompt: string
  readonly defaultArgs: readonly string[]
  /** This start has started the agent, so stopping the server stops it too. */
  readonly ownsAgent: boolean
}

/** The token; undefined if none is required. */
export function tokenOf({ settings, task }: ServeConfig): Token | undefined {
  return settings.needsToken ? loadToken(settings.tokenFile ?? tokenFile(task.folder)) : undefined
}

/** Serves in this process. */
export async function startServing(config: ServeConfig, io: Io): Promise<RunningServer> {
  const { task, cwd, settings, prompt, defaultArgs } = config
  const program = process.argv[1]!
  const installed = dirname(realpathSync(program))
  const { handoverTargets } = await import('../../../handover/targets.ts')
  const { serveTask } = await import('../../../server/serve-task.ts')
  const server = await serveTask({
    ...settings,
    agent: findAgent(config.agent),
    task,
    token: tokenOf(config),
    stateFile: settings.stateFile ?? agentapiStateFile(task.folder),
    prompt,
    defaultArgs,
    replica: () => {
      const status = currentReplica(task.folder)
      return status ? summaryOf(status) : null
    },
    handoverTargets: () =>
      handoverTargets(io)
        .filter(({ id }) => id !== config.agent)
        .map(({ id, title }) => ({ agent: id, title })),
    documents: workerDocuments(task, io, join(installed, 'document-worker.mjs')),
    webFolder: join(installed, 'web'),
    version,
    program,
    cwd,
    io,
  })
  const { pidFile } = settings
  if (pidFile !== undefined) replaceFile(pidFile, `${process.pid}\n`)
  return {
    ...server,
    async close() {
      await server.close()
      if (pidFile !== undefined && isOurPidFile(pidFile)) rmSync(pidFile, { force: true })
    },
  }
}

/** Stops the server, and the agent too if this start has started it. */
export async function stopServing({ task, ownsAgent }: ServeConfig, server: RunningServer, io: Io): Promise<void> {
  await server.close()
  if (ownsAgent) await stopTask(activeTask(task), DEFAULT_GRACE_MS, io)
}

function isOurPidFile(file: string): boolean {
  try {
    return Number(readFileSync(file, 'utf8')) === process.pid
  } catch (error) {
    if (isMissing(error)) return false
    throw error
  }
}
