// @module-tag deep
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { encodeArguments, encodePrompt } from '../../deploy/coder/ion/testdata/render.ts'
import { findAgent } from '../../src/agents/find.ts'
import type { TaskRow } from '../../src/host/tasks.ts'
import { readReplicaStatus } from '../../src/replica/status.ts'
import { taskOf } from '../../src/run/task.ts'
import { until } from '../support/wait-until.ts'
import { ask, awkward, freePort, moduleFile, playCoder, type Workspace, workspace } from './coder-module-workspace.ts'
import { ioOf, ledgerOf, promptsOf } from './fake-agent.ts'
import { machine, runIon } from './run-ion.ts'
import type { Window } from './terminal.ts'

const claude = findAgent('claude')
const KEY = 'AGE-SECRET-KEY-164XV5WFY7W2VJWPNDWPE0QPSK3E0SWF3WXRZ5HGDNRT3EL5GS2CSY4F6SC'
const withPrompt = { ARG_AI_PROMPT: encodePrompt(awkward) }

const said = ({ where, project }: Workspace, agent = claude): string[][] =>
  Object.values(promptsOf(where, agent, project))

/** It starts the agent first, which takes longer than the usual deadline for a window. */
const shown = (pane: Window, part: string): Promise<void> => until(() => expect(pane.text()).toContain(part))

/** Each runs a dozen programs, beside all the other tests. */

describe('a workspace with the module', () => {
  test('start, stop, start again: the prompt once, the same session, each time it returns', async () => {
    const at = await workspace(withPrompt)
    expect(await at.run('start')).toMatchObject({ code: 0, said: expect.stringContaining('starting a new session') })
    await until(() => expect(said(at)).toEqual([[awkward]]))
    const [first] = await at.ps()
    expect(first).toMatchObject({ agent: 'claude', task: 'main', project: at.project, way: 'detached' })
    expect(await at.run('start')).toMatchObject({ code: 0, said: expect.stringContaining('already running claude') })

    expect(await at.run('stop')).toEqual({ code: 0, said: 'stopped claude in ~/my project\n' })
    expect(await at.ps()).toEqual([])
    expect(await at.run('stop')).toEqual({ code: 0, said: 'nothing is running\n' })

    expect(await at.run('start')).toMatchObject({ code: 0, said: expect.stringContaining('resuming session') })
    const [second] = await at.ps()
    expect(second!.session_id).toBe(first!.session_id)
    expect(second!.pid).not.toBe(first!.pid)
    expect(said(at)).toEqual([[awkward]])
  })

  test('kill -9 of everything, and a start on the same volume: the same session, and no prompt', async () => {
    const at = await workspace(withPrompt)
    await at.run('start')
    await until(() => expect(said(at)).toEqual([[awkward]]))
    const [first] = await at.ps()
    await at.killAll()
    expect(await at.run('start')).toMatchObject({ code: 0, said: expect.stringContaining('resuming session') })
    expect((await at.ps())[0]!.session_id).toBe(first!.session_id)
    expect(said(at)).toEqual([[awkward]])
  })

  test('with a replica the next workspace has an empty home, and resumes the session; the prompt once', async () => {
    const { root } = machine()
    mkdirSync(join(root, 'store'))
    const settings = { ...withPrompt, ARG_REPLICA: `file://${join(root, 'store')}`, ARG_REPLICA_SECONDS: '12' }
    const env = { ION_REPLICA_KEY: KEY }
    const first = await workspace(settings)
    expect(await first.run('start', {}, env)).toMatchObject({
      code: 0,
      said: expect.stringContaining('starting a new'),
    })
    await until(() => expect(said(first)).toEqual([[awkward]]))
    const [{ session_id }] = (await first.ps()) as [TaskRow]
    expect(await first.run('stop')).toEqual({ code: 0, said: 'stopped claude in ~/my project\n' })
    const { folder } = taskOf('claude', first.project, 'main', ioOf(first.where))
    expect(readReplicaStatus(folder)).toMatchObject({ state: 'ended' })
    rmSync(first.where.home, { recursive: true })

    const second = await workspace(settings)
    const started = await second.run('start', {}, env)
    expect(started).toMatchObject({ code: 0, said: expect.stringContaining(`restored session ${session_id}`) })
    expect(await second.ps()).toMatchObject([{ session_id, project: second.project }])
    expect(said(second)).toEqual([[awkward]])
  })

  test('two starts at the same instant start one agent', async () => {
    const at = await workspace(withPrompt)
    const both = await Promise.all([at.run('start'), at.run('start')])
    expect(both).toEqual([expect.objectContaining({ code: 0 }), expect.objectContaining({ code: 0 })])
    await until(() => expect(said(at)).toEqual([[awkward]]))
    expect(ledgerOf(at.where, claude, 'main', at.project).filter(({ type }) => type === 'launched')).toHaveLength(1)
  })

  test('the pane attaches, restarts an agent that has exited, and leaves it running; the prompt is sent once', async () => {
    const at = await workspace(withPrompt)
    await at.run('start')
    await until(() => expect(said(at)).toEqual([[awkward]]))
    await at.run('stop')
    const pane = at.pane()
    await shown(pane, '(fake), session')
    pane.close()
    await pane.exit
    const again = at.pane()
    await shown(again, '(fake), session')
    again.type('and one more\r')
    await until(() => expect(said(at)).toEqual([[awkward, 'and one more']]))
    expect(await at.ps()).toHaveLength(1)
  })

  test("the agent's arguments are passed at every start, until they are removed", async () => {
    const at = await workspace()
    const words = ['--model', 'opus 4', '--append-system-prompt', `it's "so"`]
    await at.run('start', { ARG_AGENT_ARGS: encodeArguments(words) })
    await at.run('stop')
    await at.run('start', { ARG_AGENT_ARGS: encodeArguments(words) })
    await at.run('stop')
    await at.run('start')
    const planned = ledgerOf(at.where, claude, 'main', at.project).filter(({ type }) => type === 'planned')
    expect(planned.map((entry) => 'args' in entry && entry.args)).toEqual([words, words, []])
  })

  test('two agents in one workspace do not interfere', async () => {
    const at = await workspace(withPrompt)
    const second = { ARG_INSTANCE: 'goose', ARG_AGENT: 'goose', ARG_AI_PROMPT: encodePrompt('the other task') }
    await Promise.all([at.run('install'), at.run('install', second)])
    expect((await Promise.all([at.run('start'), at.run('start', second)])).map(({ code }) => code)).toEqual([0, 0])
    await until(() => expect(said(at)).toEqual([[awkward]]))
    await until(() => expect(said(at, findAgent('goose'))).toEqual([['the other task']]))
    expect((await at.run('stop')).said.split('\n').sort()).toEqual([
      '',
      'stopped claude in ~/my project',
      'stopped goose in ~/my project',
    ])
  })

  test('without persistence each start creates a session, but not while one is running', async () => {
    const at = await workspace({ ...withPrompt, ARG_ENABLE_STATE_PERSISTENCE: 'false' })
    await at.run('start')
    await until(() => expect(said(at)).toEqual([[awkward]]))
    expect(await at.run('start')).toMatchObject({ code: 0, said: expect.stringContaining('already running claude') })
    await at.run('stop')
    expect(await at.run('start')).toMatchObject({ code: 0 })
    await until(() => expect(said(at)).toEqual([[awkward], [awkward]]))
  })

  test('a given session is opened at each start and gets no prompt', async () => {
    const at = await workspace(withPrompt)
    await at.run('start')
    await until(() => expect(said(at)).toEqual([[awkward]]))
    const [first] = await at.ps()
    await at.run('stop')
    const id = first!.session_id!
    const resuming = { ARG_RESUME_SESSION_ID: id.slice(0, 8), ARG_WORKDIR: join(at.where.home, 'elsewhere') }
    for (const _ of [1, 2]) {
      expect(await at.run('start', resuming)).toMatchObject({ code: 0 })
      expect(await at.ps()).toMatchObject([{ session_id: id, project: at.project }])
      await at.run('stop')
    }
    await shown(at.pane(resuming), '(fake), session')
    await at.run('stop')
    expect(said(at)).toEqual([[awkward]])
    const unknown = await at.run('start', { ARG_RESUME_SESSION_ID: 'ffffffff' })
    expect(unknown).toMatchObject({ code: 3, said: expect.stringContaining('ffffffff') })
    expect(await at.ps()).toEqual([])
  })

  test('an agent that is not installed is reported, with the exit code', async () => {
    const at = await workspace()
    rmSync(join(at.where.root, 'bin', claude.binaries[0]!))
    expect(await at.run('start')).toMatchObject({ code: 5, said: expect.stringContaining('ion: Claude Code') })
  })
})

describe('the chat page', () => {
  const access = { ARG_ACCESS_URL: 'https://coder.example.com' }

  /** The messages, as the page gets them. */
  async function chat(port: number): Promise<{ id: number; role: string; content: string }[]> {
    const { messages } = JSON.parse((await ask(port, '/messages')).body)
    return messages.map(({ id, role, content }: Record<string, unknown>) => ({ id, role, content }))
  }

  test('start, kill -9 of everything, start: the same chat with the same ids, the prompt once; stop ends it', async () => {
    const port = await freePort()
    const at = await workspace({ ...withPrompt, ...access, ARG_WEB_APP: 'true', ARG_PORT: String(port) })
    expect(await at.run('start')).toMatchObject({ code: 0, said: expect.stringContaining(`:${port}/`) })
    const whole = [
      { id: 0, role: 'user', content: awkward },
      { id: 1, role: 'agent', content: expect.stringContaining('I have done it') },
    ]
    await until(async () => expect(await chat(port)).toEqual(whole))
    expect(JSON.parse((await ask(port, '/status')).body)).toMatchObject({ agent_type: 'claude', task: 'main' })
    expect(await at.run('start')).toMatchObject({ code: 0, said: expect.stringContaining('already') })

    await at.killAll()
    await until(() => expect(ask(port, '/status')).rejects.toThrow('ECONNREFUSED'))
    expect(await at.run('start')).toMatchObject({ code: 0, said: expect.stringContaining('resuming session') })
    await until(async () => expect(await chat(port)).toEqual(whole))
    await until(async () => expect(JSON.parse((await ask(port, '/status')).body)).toMatchObject({ status: 'stable' }))
    expect(await ask(port, '/message', {}, { content: 'and one more', type: 'user' })).toMatchObject({ status: 200 })
    await until(() => expect(said(at)).toEqual([[awkward, 'and one more']]))
    await until(async () => expect((await chat(port)).map(({ id }) => id)).toEqual([0, 1, 2, 3]))

    expect(await at.run('stop')).toMatchObject({ code: 0 })
    await until(() => expect(ask(port, '/status')).rejects.toThrow('ECONNREFUSED'))
  })

  test("answers to the workspace's host names, and accepts writes from its own pages only", async () => {
    const port = await freePort()
    const at = await workspace({ ...access, ARG_WEB_APP: 'true', ARG_PORT: String(port) })
    await at.run('start')
    const own = { host: 'coder.example.com', origin: 'https://coder.example.com' }
    expect(await ask(port, '/', own)).toMatchObject({ status: 307 })
    expect(await ask(port, '/chat/embed', own)).toMatchObject({ status: 200 })
    expect(await ask(port, '/status', { host: 'evil.example.com' })).toMatchObject({ status: 400 })
    const words = { content: 'hello', type: 'user' }
    const strange = { host: 'coder.example.com', origin: 'https://evil.example.com' }
    expect(await ask(port, '/message', strange, words)).toMatchObject({ status: 403 })
    await until(async () => expect(JSON.parse((await ask(port, '/status')).body)).toMatchObject({ status: 'stable' }))
    expect(await ask(port, '/message', own, words)).toMatchObject({ status: 200 })
    await until(() => expect(said(at)).toEqual([['hello']]))
  })
})

describe('the log of a Coder Task', () => {
  const inTask = { ARG_SNAPSHOT_TASK_ID: '7d8d4c2e-fb57-44f9-a183-22509819c2e7', ARG_WEB_APP: 'true' }

  async function served() {
    const port = await freePort()
    const at = await workspace({ ...withPrompt, ...inTask, ARG_PORT: String(port) })
    await at.run('start')
    let messages: object[] = []
    await until(async () => {
      messages = JSON.parse((await ask(port, '/messages')).body).messages
      expect(messages).toMatchObject([{ role: 'user' }, { role: 'agent', done: true }])
    })
    const log = messages.map((message) => {
      const { id, content, role, time } = message as Record<string, unknown>
      return { id, content, role, time }
    })
    // Saved soon after each change.
    await until(async () => {
      const { out } = await runIon(at.where, ['logs', 'claude', '--snapshot'], { cwd: at.project })
      expect(JSON.parse(out)).toEqual({ messages: log })
    })
    return { at, log }
  }

  test('is what the page shows, also if the server was killed, and the agent is stopped', async () => {
    const { at, log } = await served()
    await at.killAll()
    const coder = await playCoder(204)
    const env = { CODER_AGENT_URL: coder.url, CODER_AGENT_TOKEN: 'agent-token-1' }
    const ended = await at.run('stop', {}, env)
    expect(ended).toMatchObject({ code: 0, said: expect.stringContaining('The last messages were sent to Coder.') })
    expect(coder.bodies.map((body) => JSON.parse(body))).toEqual([{ messages: log }])
    await at.run('start')
    expect(await at.ps()).toHaveLength(1)
    expect(await at.run('stop', {}, env)).toMatchObject({ code: 0, said: expect.stringContaining('stopped claude') })
    expect(coder.bodies.map((body) => JSON.parse(body).messages.slice(0, 2))).toEqual([log, log])
    expect(await at.ps()).toEqual([])
  })

  test('a Coder that never answers does not keep the agent from being stopped', async () => {
    const { at } = await served()
    const coder = await playCoder('never')
    const env = { CODER_AGENT_URL: coder.url, CODER_AGENT_TOKEN: 'agent-token-1' }
    const stopping = at.run('stop', {}, env)
    await until(() => expect(coder.bodies).toHaveLength(1))
    await until(async () => expect(await at.ps()).toEqual([]))
    expect(await stopping).toMatchObject({ code: 0, said: expect.stringContaining('not sent: TimeoutError.') })
  })
})

describe("the module's README", () => {
  const text = readFileSync(moduleFile('README.md'), 'utf8')
  const [, front = '', body = ''] = /^---\n(.*?)\n---\n(.*)$/s.exec(text) ?? []

  test('has exactly the front matter that the registry accepts', () => {
    expect(parse(front)).toEqual({
      display_name: expect.any(String),
      description: expect.any(String),
      icon: '../../../../.icons/ion.svg',
      verified: false,
      tags: expect.any(Array),
    })
    expect((parse(front) as { tags: string[] }).tags.filter((tag) => !/^[a-z0-9-]+$/.test(tag))).toEqual([])
  })

  test('has one h1 with one block of Terraform, levels that grow by one, and no table', () => {
    const prose = body.replace(/^```.*?^```$/gms, '')
    const levels = [...prose.matchAll(/^(#+) /gm)].map(([, marks]) => marks!.length)
    expect(levels.filter((level) => level === 1)).toHaveLength(1)
    expect(levels.filter((level, index) => level > (levels[index - 1] ?? 0) + 1)).toEqual([])
    expect(body.split(/^## /m)[0]!.match(/^```tf\n[^`]*version\s*=/gm)).toHaveLength(1)
    expect(body.match(/^```(?!tf$|sh$|text$|$).*/gm)).toBeNull()
    expect(body.match(/^\|/gm)).toBeNull()
  })
})
