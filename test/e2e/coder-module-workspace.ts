import { spawn } from 'node:child_process'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { createServer as createHttpServer, request } from 'node:http'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished } from 'vitest'
import { renderScript, type ScriptName, type Settings } from '../../deploy/coder/ion/testdata/render.ts'
import type { TaskRow } from '../../src/host/tasks.ts'
import { livingProcess } from '../../src/platform/process.ts'
import { knownServers } from '../../src/server/registry.ts'
import { builtFolder } from '../support/built.ts'
import { until } from '../support/wait-until.ts'
import { installFake, ioOf, logins, playable } from './fake-agent.ts'
import { type Machine, machine, runIon } from './run-ion.ts'
import { openWindow, type Window } from './terminal.ts'

export interface Ended {
  readonly code: number | null
  readonly said: string
}

/** A Coder workspace with the module in it, the built Ion, and the fake agents in place of the real ones. */
export interface Workspace {
  readonly where: Machine
  /** Where the agent works. */
  readonly project: string
  /** Runs a script as the workspace does: `start` and `install` through a pipe, which must be closed at the end. */
  run(name: ScriptName, settings?: Settings, env?: Readonly<Record<string, string>>): Promise<Ended>
  /** The pane of the app that attaches. */
  pane(settings?: Settings): Window
  ps(...args: string[]): Promise<TaskRow[]>
  /** As when the container is destroyed without warning. */
  killAll(): Promise<void>
}

export async function workspace(given: Settings = {}): Promise<Workspace> {
  const made = machine()
  const folder = join(made.home, '.coder-modules/ion-cli/ion')
  const where: Machine = { ...made, ionHome: join(folder, 'data') }
  const project = join(where.home, 'my project')
  const path = installFake(where, playable)
  const program = (name: string, text: string): void => {
    writeFileSync(join(where.root, 'bin', name), text)
    chmodSync(join(where.root, 'bin', name), 0o755)
  }
  program('ion', `#!/bin/sh\nexec "${process.execPath}" "${join(builtFolder(), 'ion.cjs')}" "$@"\n`)
  program('coder', '#!/bin/sh\nexit 0\n')
  const settingsWith = (more: Settings): Settings => ({
    ARG_INSTALL_ION: 'false',
    ARG_WORKDIR: project,
    ARG_WEB_APP: 'false',
    ...given,
    ...more,
  })
  const env = { HOME: where.home, PATH: path, TMPDIR: where.root, ...logins }

  const run: Workspace['run'] = (name, more = {}, moreEnv = {}) => {
    const settings = settingsWith(more)
    const script = renderScript(name, settings)
    const instance = `${folder}${settings.ARG_INSTANCE ? `-${settings.ARG_INSTANCE}` : ''}`
    for (const part of ['scripts', 'logs']) mkdirSync(join(instance, part), { recursive: true })
    const file = join(instance, 'scripts', `${name}.sh`)
    // Two starts at the same instant find the same file.
    if (name !== 'stop') writeFileSync(file, script, { mode: 0o755 })
    const piped = `set -eo pipefail; bash "$1" 2>&1 | tee "$2"`
    const argv = name === 'stop' ? ['-c', script] : ['-c', piped, 'bash', file, join(instance, 'logs', `${name}.log`)]
    const child = spawn('/bin/bash', argv, {
      cwd: where.home,
      env: { ...env, ...moreEnv },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let said = ''
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (said += text))
    const timer = setTimeout(() => child.kill('SIGKILL'), 60_000)
    return new Promise((resolve) => {
      child.on('close', (code) => {
        clearTimeout(timer)
        resolve({ code, said })
      })
    })
  }

  const ps = async (...args: string[]): Promise<TaskRow[]> =>
    (await runIon(where, ['ps', '--json', ...args])).out
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as TaskRow)

  onTestFinished(async () => {
    await runIon(where, ['stop', '--all', '--grace', '0'])
    expect(await ps()).toEqual([])
  })
  expect(await run('install')).toMatchObject({ code: 0 })
  return {
    where,
    project,
    run,
    ps,
    pane: (more = {}) => openWindow(where, ['/bin/bash', '-c', renderScript('attach', settingsWith(more))], { path }),
    async killAll() {
      const rows = await ps()
      const servers = knownServers(ioOf(where)).map(({ pid }) => pid)
      const pids = [...servers, ...rows.flatMap(({ pid, agent_pid }) => [pid, agent_pid])].filter((pid) => pid !== null)
      for (const pid of pids) process.kill(pid, 'SIGKILL')
      await until(() => expect(pids.filter((pid) => livingProcess(pid))).toEqual([]))
    },
  }
}

/** A prompt with everything that a shell, Terraform or a terminal might interpret. */
export const awkward = `it's "quoted" \`id\` $HOME \u0024{x} $(id)\n\n  second line\ttab \\n %s ünïcødé 日本 🚀 'end`

/** Of a file in the module. */
export function moduleFile(name: string): string {
  return fileURLToPath(new URL(`../../deploy/coder/ion/${name}`, import.meta.url))
}

export async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

export interface Answer {
  readonly status: number
  readonly body: string
}

/** As Coder's proxy forwards it: with the browser's Host and Origin. */
export function ask(
  port: number,
  path: string,
  headers: Readonly<Record<string, string>> = {},
  body?: object,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const method = body === undefined ? 'GET' : 'POST'
    const given = { 'content-type': 'application/json', ...headers }
    const asked = request({ host: '127.0.0.1', port, path, method, headers: given, timeout: 20_000 }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (part) => (text += part))
      response.on('end', () => resolve({ status: response.statusCode!, body: text }))
    })
    asked.on('error', reject).end(body === undefined ? undefined : JSON.stringify(body))
  })
}

/** Plays the Coder deployment: collects what is sent to it, and answers with this status, or never. */
export async function playCoder(status: number | 'never'): Promise<{ url: string; bodies: string[] }> {
  const bodies: string[] = []
  const server = createHttpServer((request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', (part) => (body += part))
    request.on('end', () => {
      bodies.push(body)
      if (status !== 'never') response.writeHead(status).end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, bodies }
}
