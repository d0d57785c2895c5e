import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { IonError } from '../platform/error.ts'
import { findExecutable } from '../platform/executable.ts'
import type { Io } from '../platform/io.ts'
import { livingProcess } from '../platform/process.ts'

/** How to run an agent under Coder's `agentapi`. */
export interface Agentapi {
  readonly program: string
  readonly stateFile: string
  readonly pidFile: string
  /** Whether the chat survives a restart. */
  readonly persist: boolean
  readonly port: string | undefined
}

/** The chat of a task, as agentapi or `ion serve` saves it. */
export function agentapiStateFile(taskFolder: string): string {
  return join(taskFolder, 'agentapi-state.json')
}

export function findAgentapi(folder: string, persist: boolean, port: string | undefined, io: Io): Agentapi {
  const program = findExecutable(['agentapi'], io)
  if (!program) {
    throw new IonError('not-installed', 'agentapi is not installed: no "agentapi" on the PATH', {
      hint: 'see github.com/coder/agentapi/releases, or run without --agentapi',
    })
  }
  return {
    program,
    stateFile: agentapiStateFile(folder),
    pidFile: join(folder, 'agentapi.pid'),
    persist,
    port,
  }
}

export function agentapiArgv(agentapi: Agentapi, type: string, agent: readonly string[]): string[] {
  const { program, stateFile, pidFile, persist, port } = agentapi
  return [
    program,
    'server',
    '--type',
    type,
    ...(persist ? ['--state-file', stateFile] : []),
    '--pid-file',
    pidFile,
    ...(port === undefined ? [] : ['--port', port]),
    '--',
    ...agent,
  ]
}

/**
 * agentapi refuses to start if the process of its pid file is alive, and pids are reused: after a reboot, or in a new
 * container, it is another process. This process holds the task's lease, so no agentapi of the task should be running.
 */
export function removeStalePidFile({ pidFile }: Agentapi): void {
  let pid: number
  try {
    pid = Number(readFileSync(pidFile, 'utf8').trim())
  } catch {
    return
  }
  if (livingProcess(pid) && isAgentapi(pid)) {
    throw new IonError('refused', `an agentapi of this task is still running (pid ${pid})`, {
      hint: `stop it: kill ${pid}`,
    })
  }
  rmSync(pidFile, { force: true })
}

function isAgentapi(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('agentapi')
  } catch {
    // No /proc: better to refuse than to start a second one.
    return true
  }
}
