import { spawn, spawnSync } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, test } from 'vitest'
import { encodeArguments, encodePrompt, renderScript, type ScriptName, type Settings } from './testdata/render.ts'

// The scripts of the module with stand-ins for ion, npm and coder. It needs no Terraform and no container, so that it runs
// under vitest here and under `bun test` in the registry, which takes "vitest" for its own. The scripts as Terraform makes
// them are compared by deploy/coder/check.ts; with the real Ion they run in test/e2e/coder-module.test.ts.

const testdata = fileURLToPath(new URL('./testdata/', import.meta.url))
const homes: string[] = []
const servers: (() => Promise<unknown>)[] = []

afterEach(async () => {
  for (const close of servers.splice(0)) await close()
  for (const home of homes.splice(0)) rmSync(home, { recursive: true, force: true })
})

interface Ended {
  readonly code: number | null
  readonly said: string
}

/** A workspace: a home, and the stand-ins in front of the path. */
class Workspace {
  readonly home: string = mkdtempSync(join(tmpdir(), 'ion-module-'))
  readonly folder: string = join(this.home, '.coder-modules/ion-cli/ion')
  readonly scriptBin: string = join(this.home, 'script-bin')
  readonly settings: Settings

  constructor(settings: Settings = {}, mocks: readonly string[] = ['ion', 'npm', 'coder']) {
    homes.push(this.home)
    this.settings = { ARG_INSTALL_ION: 'false', ARG_WORKDIR: join(this.home, 'my project'), ...settings }
    for (const folder of ['bin', 'script-bin']) mkdirSync(join(this.home, folder))
    for (const mock of mocks) {
      copyFileSync(join(testdata, `${mock}-mock.sh`), join(this.home, 'bin', mock))
      chmodSync(join(this.home, 'bin', mock), 0o755)
    }
  }

  run(name: ScriptName, env: Readonly<Record<string, string>> = {}, settings: Settings = {}): Promise<Ended> {
    const path = `${join(this.home, 'bin')}:${dirname(process.execPath)}:/usr/bin:/bin`
    const script = renderScript(name, { ...this.settings, ...settings })
    const child = spawn('/bin/bash', ['-c', script], {
      cwd: this.home,
      env: { HOME: this.home, PATH: path, CODER_SCRIPT_BIN_DIR: this.scriptBin, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let said = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (said += text))
    return new Promise((resolve) => child.on('close', (code) => resolve({ code, said })))
  }

  /** What ion was called with, and where. */
  calls(): { cwd: string; words: string[] }[] {
    // What follows the last blank line was cut off: a call that was ended while it wrote.
    return this.written('ion-calls')
      .split('\n\n')
      .slice(0, -1)
      .map((call) => {
        const [, cwd, ...words] = call.split('\n')
        return { cwd: decoded(cwd!), words: words.map((word) => decoded(word.slice(1))) }
      })
  }

  written(name: string): string {
    const file = join(this.home, name)
    return existsSync(file) ? readFileSync(file, 'utf8') : ''
  }
}

function decoded(text: string): string {
  return Buffer.from(text, 'base64').toString()
}

const prompt = `it's "quoted" \`id\` $HOME \u0024{x} $(id)\n\n  second line\ttab \\n %s ünïcødé 日本 🚀 'end`

describe('install', () => {
  test('installs from npm once, into the folder of the module; puts ion on the path, with its data there', async () => {
    const workspace = new Workspace({ ARG_INSTALL_ION: 'true', ARG_ION_VERSION: '1.2.3' })
    expect(await workspace.run('install')).toMatchObject({ code: 0 })
    expect(await workspace.run('install')).toEqual({ code: 0, said: 'ion module: Ion 1.2.3 is installed.\n' })
    const options = '--no-fund --no-audit --no-update-notifier'
    expect(workspace.written('npm-calls')).toBe(
      `install --global --prefix ${workspace.folder}/npm ${options} @ion-cli/ion@1.2.3\n`,
    )
    const program = join(workspace.scriptBin, 'ion')
    const { stdout } = spawnSync(program, ['--version'], { encoding: 'utf8', env: { HOME: workspace.home } })
    expect(stdout).toBe('1.2.3\n')
    expect(readFileSync(program, 'utf8')).toContain(`ION_HOME=${workspace.folder}/data\n`)
    expect(statSync(workspace.folder).mode & 0o777).toBe(0o700)
    expect(existsSync(join(workspace.home, 'my project'))).toBe(true)
  })

  test('another version is installed; the registry may be a mirror', async () => {
    const workspace = new Workspace({ ARG_INSTALL_ION: 'true', ARG_NPM_REGISTRY_URL: 'https://npm.example.com/a b' })
    await workspace.run('install')
    await workspace.run('install')
    const calls = workspace.written('npm-calls').trim().split('\n')
    expect(calls).toHaveLength(2)
    expect(calls[0]).toMatch(/ --registry https:\/\/npm\.example\.com\/a b @ion-cli\/ion@latest$/)
  })

  test('without the network it goes on with what is there, and fails when nothing is', async () => {
    const workspace = new Workspace({ ARG_INSTALL_ION: 'true' })
    const failing = { MOCK_NPM_EXIT: '1' }
    expect(await workspace.run('install', failing)).toEqual({
      code: 1,
      said: 'ion module: @ion-cli/ion@latest could not be installed.\n',
    })
    await workspace.run('install')
    expect(await workspace.run('install', failing)).toEqual({
      code: 0,
      said: 'ion module: Warning: @ion-cli/ion@latest could not be installed; going on with 1.2.3.\n',
    })
  })

  test('an installation that lacks the terminal is none, and is tried again', async () => {
    const workspace = new Workspace({ ARG_INSTALL_ION: 'true', ARG_ION_VERSION: '1.2.3' })
    expect(await workspace.run('install', { MOCK_NPM_LACKS: '1' })).toMatchObject({ code: 1 })
    expect(await workspace.run('install')).toEqual({ code: 0, said: 'ion module: Ion 1.2.3 is installed.\n' })
    expect(workspace.written('npm-calls').trim().split('\n')).toHaveLength(2)
  })

  test('says so when there is no ion, no npm, or a node that is too old', async () => {
    const bare = new Workspace({}, ['coder'])
    expect(await bare.run('install')).toEqual({
      code: 1,
      said: 'ion module: There is no ion on the path, and install_ion is false.\n',
    })
    const old = new Workspace({ ARG_INSTALL_ION: 'true' })
    copyFileSync(join(testdata, 'coder-mock.sh'), join(old.home, 'bin', 'node'))
    expect(await old.run('install', { MOCK_CODER_EXIT: '1' })).toMatchObject({
      code: 1,
      said: expect.stringContaining('is too old. Ion needs Node 20.19 or newer.'),
    })
  })

  test('takes the ion of the image, not its own wrapper of an earlier start', async () => {
    const workspace = new Workspace()
    await workspace.run('install')
    const path = `${workspace.scriptBin}:${join(workspace.home, 'bin')}:${dirname(process.execPath)}:/usr/bin:/bin`
    expect(await workspace.run('install', { PATH: path })).toEqual({ code: 0, said: '' })
    expect(readFileSync(join(workspace.folder, 'bin/ion'), 'utf8')).toContain(`exec ${workspace.home}/bin/ion "$@"`)
  })

  test('a profile that fails under "set -u" does no harm', async () => {
    const workspace = new Workspace()
    const { stdout } = spawnSync('/bin/bash', ['-c', `echo 'echo "$UNSET"; false' > "$HOME/.bashrc"; echo ok`], {
      encoding: 'utf8',
      env: { HOME: workspace.home, PATH: '/usr/bin:/bin' },
    })
    expect(stdout).toBe('ok\n')
    expect(await workspace.run('install')).toMatchObject({ code: 0 })
    expect(await workspace.run('start')).toMatchObject({ code: 0 })
  })
})

describe('start', () => {
  async function started(settings: Settings = {}, env: Readonly<Record<string, string>> = {}) {
    const workspace = new Workspace(settings)
    await workspace.run('install')
    const ended = await workspace.run('start', env)
    return { workspace, ended, calls: workspace.calls(), cwd: join(workspace.home, 'my project') }
  }

  test('serves the task in the background, with the prompt in a private file, exactly as it was given', async () => {
    const { workspace, ended, calls, cwd } = await started({ ARG_AI_PROMPT: encodePrompt(`${prompt}\n`) })
    expect(ended).toEqual({ code: 0, said: '' })
    const file = join(workspace.folder, 'prompt.txt')
    expect(readFileSync(file, 'utf8')).toBe(`${prompt}\n`)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(calls).toEqual([
      {
        cwd,
        words: [
          ...['serve', '--port', '3284', '--chat-base-path', '/chat', '--no-token'],
          ...['--allowed-hosts', 'localhost,127.0.0.1,[::1]'],
          ...['--allowed-origins', 'http://localhost:3284,http://127.0.0.1:3284'],
          ...['claude', '--task', 'main', '--detach', '--prompt-file', file, '--'],
        ],
      },
    ])
  })

  test('the arguments of the agent arrive as they are', async () => {
    const words = ['--model', `a 'b' "c"`, '', '*', '$(id)\n', 'ü']
    const { calls, cwd } = await started({ ARG_AGENT_ARGS: encodeArguments(words), ARG_WEB_APP: 'false' })
    expect(calls).toEqual([{ cwd, words: ['run', 'claude', '--task', 'main', '--detach', '--', ...words] }])
  })

  test('knows the names under which Coder asks for the page', async () => {
    const { calls } = await started(
      { ARG_ACCESS_URL: 'https://coder.example.com:8443', ARG_ALLOWED_HOSTS: 'more.example.com' },
      {
        CODER_AGENT_URL: 'http://[fd00::1]:7080/',
        VSCODE_PROXY_URI: 'https://{{port}}--main--my-space--me.apps.example.com:8443',
      },
    )
    const words = calls[0]!.words
    expect(words[words.indexOf('--allowed-hosts') + 1]!.split(',')).toEqual([
      'localhost',
      '127.0.0.1',
      '[::1]',
      'coder.example.com',
      '[fd00::1]',
      'ion--main--my-space--me.apps.example.com',
      'ion--my-space--me.apps.example.com',
      'more.example.com',
    ])
    expect(words[words.indexOf('--allowed-origins') + 1]!.split(',')).toEqual([
      'http://localhost:3284',
      'http://127.0.0.1:3284',
      'https://coder.example.com:8443',
      'http://[fd00::1]:7080',
      'https://ion--main--my-space--me.apps.example.com:8443',
      'https://ion--my-space--me.apps.example.com:8443',
    ])
  })

  test('waits for other scripts before it starts; when that fails it says so and goes on', async () => {
    const { workspace, ended } = await started({ ARG_WAIT_FOR: 'git-clone coder-claude-code-install_script' })
    expect(ended).toEqual({ code: 0, said: '' })
    const gate = 'exp sync want ion-cli-ion-agent-N git-clone coder-claude-code-install_script'
    expect(workspace.written('coder-calls').replace(/agent-\d+/g, 'agent-N')).toBe(
      `${gate}\nexp sync start ion-cli-ion-agent-N\nexp sync complete ion-cli-ion-agent-N\n`,
    )
    const failed = await workspace.run('start', { MOCK_CODER_EXIT: '1' })
    expect(failed).toEqual({
      code: 0,
      said: 'ion module: Warning: could not wait for git-clone coder-claude-code-install_script; going on.\n',
    })
    expect(workspace.calls()).toHaveLength(2)
  })

  test('answers dialogs of the first run beforehand, where there are some and a folder was named', async () => {
    const dialogs = [
      'trust: it asks whether you trust this folder',
      'auth: it asks how to log in',
      'onboarding: it shows',
    ]
    const env = { MOCK_ION_DIALOGS: dialogs.join('\n') }
    const { workspace, calls } = await started({}, env)
    expect(calls.slice(0, 2).map(({ words }) => words)).toEqual([
      ['run', 'claude', '--prepare', 'trust'],
      ['run', 'claude', '--prepare', 'onboarding'],
    ])
    await workspace.run('start', env, { ARG_ANSWER_DIALOGS: 'false' })
    await workspace.run('start', env, { ARG_WORKDIR: '' })
    await workspace.run('start')
    expect(workspace.calls().map(({ words }) => words[0])).toEqual(['run', 'run', 'serve', 'serve', 'serve', 'serve'])
  })

  test('without persistence it begins anew, unless the agent runs; attaching never does', async () => {
    const { workspace, calls } = await started({ ARG_ENABLE_STATE_PERSISTENCE: 'false' })
    expect(calls.map(({ words }) => words.includes('--new'))).toEqual([true])
    await workspace.run('start', { MOCK_ION_NEW_EXIT: '4' })
    await workspace.run('start', { ION_MODULE_ATTACH: '1' })
    expect(workspace.calls().map(({ words }) => words.includes('--new'))).toEqual([true, true, false, false])
  })

  test('the replica is in the environment of ion; without one, that of the workspace is left as it is', async () => {
    const { workspace } = await started({ ARG_REPLICA: 's3://bucket/ion' }, { ION_REPLICA: 's3://other/ion' })
    expect(workspace.calls().flatMap(({ words }) => words)).not.toContain('s3://bucket/ion')
    await workspace.run('start', {}, { ARG_REPLICA: '' })
    await workspace.run('start', { ION_REPLICA: 's3://other/ion' }, { ARG_REPLICA: '' })
    expect(workspace.written('ion-replicas')).toBe('s3://bucket/ion\n\ns3://other/ion\n')
  })

  test('a given session is opened in its own agent and folder, and gets no prompt', async () => {
    const project = mkdtempSync(join(tmpdir(), 'ion-module-'))
    homes.push(project)
    const row = { agent: 'codex', task: '3f2a0000', project, session_id: '3f2a0000-1', native_id: 'x' }
    const { ended, calls, cwd, workspace } = await started(
      { ARG_RESUME_SESSION_ID: '3f2a', ARG_AI_PROMPT: encodePrompt('no'), ARG_WEB_APP: 'false' },
      { MOCK_ION_PS: JSON.stringify(row) },
    )
    expect(ended).toEqual({ code: 0, said: 'ion module: ai_prompt is not sent: resume_session_id is set.\n' })
    expect(calls).toEqual([
      { cwd, words: ['resume', '3f2a', '--detach', '--'] },
      { cwd: project, words: ['run', 'codex', '--task', '3f2a0000', '--detach', '--'] },
    ])
    expect(readFileSync(join(workspace.folder, 'task'), 'utf8')).toBe(`codex-3f2a0000\n${project}\n`)
    const gone = await workspace.run('start')
    expect(gone).toMatchObject({ code: 1, said: expect.stringContaining('Session 3f2a is not running') })
  })

  test('says what is wrong when Ion was not installed, and gives the exit code of ion', async () => {
    const workspace = new Workspace()
    expect(await workspace.run('start')).toEqual({
      code: 1,
      said: `ion module: ${workspace.folder}/bin/ion is not there: the install script has failed, see ${workspace.folder}/logs/install.log.\n`,
    })
    await workspace.run('install')
    expect(await workspace.run('start', { MOCK_ION_EXIT: '5' })).toEqual({ code: 5, said: '' })
  })

  test('a second instance has a folder of its own, and shares Ion', async () => {
    const { workspace, calls } = await started({
      ARG_INSTANCE: 'goose',
      ARG_AGENT: 'goose',
      ARG_PORT: '3285',
      ARG_AI_PROMPT: encodePrompt('go'),
    })
    expect(calls[0]!.words).toEqual(expect.arrayContaining(['3285', 'goose', `${workspace.folder}-goose/prompt.txt`]))
    expect(existsSync(join(workspace.folder, 'bin/ion'))).toBe(true)
  })
})

describe('stop', () => {
  test('drains everything within the grace', async () => {
    const workspace = new Workspace()
    await workspace.run('install')
    expect(await workspace.run('stop')).toEqual({ code: 0, said: '' })
    expect(workspace.calls().map(({ words }) => words)).toEqual([['stop', '--all', '--grace', '5']])
    expect(existsSync(join(workspace.folder, 'logs/stop.log'))).toBe(true)
  })

  test('exits 0 when there is no Ion, and when ion fails or hangs', async () => {
    const workspace = new Workspace({ ARG_STOP_GRACE_SECONDS: '0' })
    expect(await workspace.run('stop')).toEqual({ code: 0, said: '' })
    await workspace.run('install')
    const late = { code: 0, said: 'ion module: Not everything has ended in time.\n' }
    expect(await workspace.run('stop', { MOCK_ION_EXIT: '1' })).toEqual(late)
    const hung = await workspace.run('stop', { MOCK_ION_HANG: '1' })
    expect(hung).toMatchObject({ code: 0, said: expect.stringContaining(late.said) })
  }, 60_000)
})

describe('stop in a Coder Task', () => {
  const task = '7d8d4c2e-fb57-44f9-a183-22509819c2e7'
  const token = 'agent-token-1'
  const snapshot =
    '{"messages":[{"id":0,"content":"ünï \\"$HOME\\" \\\\n","role":"user","time":"2026-11-16T09:00:00Z"}]}'
  const sent = 'ion module: The last messages were sent to Coder.\n'
  const notSent = 'ion module: The last messages were not sent: '

  async function stopped(coder: Coder | { url: string }, env: Readonly<Record<string, string>> = {}) {
    const workspace = new Workspace({ ARG_SNAPSHOT_TASK_ID: task, ARG_STOP_GRACE_SECONDS: '0' })
    await workspace.run('install')
    await workspace.run('start')
    const given = { CODER_AGENT_URL: coder.url, CODER_AGENT_TOKEN: token, MOCK_ION_SNAPSHOT: snapshot }
    const ended = await workspace.run('stop', { ...given, ...env })
    return { ...ended, workspace, calls: workspace.calls().slice(1) }
  }

  test('sends the last messages of the task that was started, with the token in a header only', async () => {
    const coder = await playCoder(204)
    const { code, said, workspace, calls } = await stopped({ url: `${coder.url}/` })
    expect({ code, said }).toEqual({ code: 0, said: sent })
    expect(coder.requests).toEqual([
      {
        method: 'POST',
        url: `/api/v2/workspaceagents/me/tasks/${task}/log-snapshot?format=agentapi`,
        token,
        type: 'application/json',
        body: snapshot,
        commandLines: [],
      },
    ])
    expect(calls).toEqual(
      expect.arrayContaining([
        { cwd: join(workspace.home, 'my project'), words: ['logs', 'claude-main', '--snapshot'] },
        { cwd: workspace.home, words: ['stop', '--all', '--grace', '0'] },
      ]),
    )
    expect(readFileSync(join(workspace.folder, 'logs/stop.log'), 'utf8')).toBe(sent)
  })

  test('a Coder that does not know the task is no failure; every other answer is reported', async () => {
    expect(await stopped(await playCoder(404))).toMatchObject({ code: 0, said: '' })
    expect(await stopped(await playCoder(500))).toMatchObject({
      code: 0,
      said: `${notSent}Coder answered with status 500.\n`,
    })
    const elsewhere = await playCoder(204)
    const moved = await playCoder(307, { location: `${elsewhere.url}/other` })
    expect(await stopped(moved)).toMatchObject({ code: 0, said: expect.stringContaining(notSent) })
    expect(elsewhere.requests).toEqual([])
  })

  test('a Coder that does not answer, or cannot be reached, holds nothing up', async () => {
    const begun = performance.now()
    const { code, said, calls } = await stopped(await playCoder('never'))
    expect({ code, said }).toEqual({ code: 0, said: `${notSent}TimeoutError.\n` })
    expect(calls.map(({ words }) => words[0]).sort()).toEqual(['logs', 'stop'])
    expect(performance.now() - begun).toBeLessThan(20_000)
    const { url, close } = await playCoder(204)
    await close()
    expect(await stopped({ url })).toMatchObject({ code: 0, said: `${notSent}ECONNREFUSED.\n` })
    // Node's own message about such a header contains it.
    const strange = await stopped(await playCoder(204), { CODER_AGENT_TOKEN: 'secret\nline' })
    expect(strange).toMatchObject({ code: 0, said: `${notSent}TypeError.\n` })
  }, 60_000)

  test('sends nothing without messages, outside of a Task, and before the first start', async () => {
    const coder = await playCoder(204)
    expect(await stopped(coder, { MOCK_ION_SNAPSHOT: '{"messages":[]}' })).toMatchObject({ code: 0, said: '' })
    expect(await stopped(coder, { MOCK_ION_SNAPSHOT: '' })).toMatchObject({
      code: 0,
      said: `${notSent}they could not be read.\n`,
    })
    expect(await stopped(coder, { CODER_AGENT_TOKEN: '' })).toMatchObject({
      code: 0,
      said: `${notSent}CODER_AGENT_URL or CODER_AGENT_TOKEN is not set.\n`,
    })
    const { workspace } = await stopped(coder, { MOCK_ION_SNAPSHOT: '' })
    const env = { CODER_AGENT_URL: coder.url, CODER_AGENT_TOKEN: token, MOCK_ION_SNAPSHOT: snapshot }
    expect(await workspace.run('stop', env, { ARG_SNAPSHOT_TASK_ID: '' })).toEqual({ code: 0, said: '' })
    rmSync(join(workspace.folder, 'task'))
    expect(await workspace.run('stop', env)).toEqual({ code: 0, said: '' })
    expect(coder.requests).toEqual([])
  }, 60_000)
})

interface Coder {
  readonly url: string
  readonly requests: object[]
  close(): Promise<unknown>
}

/** Plays the Coder deployment on loopback, and looks for the token in the command lines of all processes meanwhile. */
async function playCoder(status: number | 'never', headers: Readonly<Record<string, string>> = {}): Promise<Coder> {
  const requests: object[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', (part) => (body += part))
    request.on('end', () => {
      const { method, url, headers: given } = request
      const token = String(given['coder-session-token'])
      const commandLines = processes().filter((line) => line.includes(token))
      requests.push({ method, url, token, type: given['content-type'], body, commandLines })
      if (status !== 'never') response.writeHead(status, headers).end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const close = (): Promise<unknown> => {
    server.closeAllConnections()
    return new Promise((resolve) => server.close(resolve))
  }
  servers.push(close)
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests, close }
}

/** The command lines of everything that runs, where /proc shows them. */
function processes(): string[] {
  if (!existsSync('/proc/self/cmdline')) return []
  return readdirSync('/proc').flatMap((name) => {
    try {
      return /^\d+$/.test(name) ? [readFileSync(`/proc/${name}/cmdline`, 'utf8')] : []
    } catch {
      // It has ended.
      return []
    }
  })
}

describe('attach', () => {
  test('says so while the workspace is being prepared', async () => {
    const { code, said } = await new Workspace().run('attach')
    expect({ code, said }).toMatchObject({ code: 1, said: expect.stringContaining('still being prepared') })
  })
})

const hasShellcheck = spawnSync('shellcheck', ['--version']).status === 0
if (!hasShellcheck) console.warn('shellcheck is not here: the scripts of the Coder module were not looked at by it')

test.skipIf(!hasShellcheck)('shellcheck finds nothing', () => {
  const files = ['common', 'install', 'start', 'attach', 'stop'].map((name) => `../scripts/${name}.sh`)
  const mocks = ['ion', 'npm', 'coder'].map((name) => `${name}-mock.sh`)
  const { status, stdout } = spawnSync('shellcheck', [...files, ...mocks], { cwd: testdata, encoding: 'utf8' })
  expect({ status, stdout }).toEqual({ status: 0, stdout: '' })
})
