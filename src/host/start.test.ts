import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { scratchIo } from '../../test/support/scratch.ts'
import type { Agent } from '../agents/agent.ts'
import type { Io } from '../platform/io.ts'
import { isHolder } from '../platform/lease.ts'
import { identityOf } from '../platform/process.ts'
import { takeTask } from '../run/lease.ts'
import type { RunMode } from '../run/ledger.ts'
import type { RunRequest } from '../run/request.ts'
import { taskOf } from '../run/task.ts'
import { writeHostFile } from './file.ts'
import { ensureRunning, type StartOptions, type StartOutcome } from './start.ts'
import { FrameReader, messageFrame } from './wire.ts'

interface World {
  readonly io: Io
  readonly request: RunRequest
  readonly notices: string[]
  /** A program that answers the request by this script instead of starting a host. */
  start(script: string, changed?: Partial<RunRequest>, options?: Partial<StartOptions>): Promise<StartOutcome>
}

function setUp(): World {
  const io = scratchIo()
  const task = taskOf('made', io.home, 'main', io)
  mkdirSync(task.folder, { recursive: true })
  const agent = { id: 'made', title: 'Made' } as unknown as Agent
  const rest = { prompt: 'go', send: false, isNew: false, steal: false, restore: false, args: undefined }
  const request: RunRequest = {
    ...rest,
    agent,
    task,
    command: 'ion run made',
    cwd: io.home,
    mode: 'detached',
    defaultArgs: [],
    adopt: undefined,
    agentapi: undefined,
    onOtherPrompt: 'resume',
  }
  const notices: string[] = []
  const program = join(io.home, 'program.cjs')
  return {
    io,
    request,
    notices,
    start(script, changed = {}, options = {}) {
      writeFileSync(program, `process.on('message', ({ request, size }) => { ${script} })\n`)
      const notice = (line: string): void => void notices.push(line)
      return ensureRunning({ ...request, ...changed }, { program, notice, ...options })
    },
  }
}

const report = (body: string): string => `process.send(${body}, () => process.disconnect())`

function hold({ request, io }: World, mode: RunMode): void {
  const lease = takeTask(request.task.folder, mode, io.now())
  if (isHolder(lease)) throw new Error('the task is taken')
  onTestFinished(() => lease.release())
}

/** A host in this process whose agent has the pid 77. */
async function fakeHost({ request, io }: World): Promise<void> {
  const socket = join(io.home, 'host.sock')
  const server = createServer((client) => {
    const reader = new FrameReader()
    client.on('error', () => {})
    client.on('data', (chunk) => {
      if (reader.push(chunk).length > 0) client.write(messageFrame({ type: 'state', agent_pid: 77 }))
    })
  })
  await new Promise<void>((resolve) => server.listen(socket, resolve))
  onTestFinished(() => void server.close())
  const startedAt = io.now().toISOString()
  writeHostFile(request.task.folder, { ...identityOf(process.pid), socket, startedAt, size: { columns: 80, rows: 24 } })
}

test('a host that reports its start: the process id, after its notices; the request arrives with the agent by its id', async () => {
  const world = setUp()
  const checks =
    "request.agent === 'made' && request.prompt === 'go' && size.columns === 120 && process.argv[2] === 'host'"
  const outcome = await world.start(
    `process.send({ type: 'notice', line: 'resuming' }); ${report(`{ type: ${checks} ? 'started' : 'wrong', asks: null }`)}`,
  )
  expect(outcome).toEqual({ how: 'started', pid: expect.any(Number), asks: null })
  expect(world.notices).toEqual(['resuming'])
})

test('an agent that is not ready in time is still starting', async () => {
  const outcome = await setUp().start(report("{ type: 'starting', promptDue: true }"))
  expect(outcome).toEqual({ how: 'starting', pid: expect.any(Number), promptDue: true })
})

test('an agent that ends at once: its exit code and its screen', async () => {
  const outcome = await setUp().start(report("{ type: 'ended', code: 7, screen: 'no key', promptDue: true }"))
  expect(outcome).toEqual({ how: 'ended', code: 7, screen: 'no key', promptDue: true })
})

test('a failed start is thrown with its kind and hint; so are a host that dies and one that takes too long', async () => {
  const failed = "{ type: 'failed', kind: 'not-installed', message: 'no such program', hint: 'install it' }"
  await expect(setUp().start(report(failed))).rejects.toMatchObject({
    kind: 'not-installed',
    message: 'no such program',
    hint: 'install it',
  })
  await expect(setUp().start('process.exit(9)')).rejects.toMatchObject({
    message: 'the host ended before it could report why (9)',
    hint: 'ion logs made',
  })
  await expect(setUp().start('setTimeout(() => process.exit(), 5000)', {}, { timeoutMs: 1 })).rejects.toThrow(
    'Made has not started within',
  )
})

test('a task that is running in the background is not started again; a new prompt is not sent, and that is reported', async () => {
  const world = setUp()
  hold(world, 'detached')
  await fakeHost(world)
  expect(await world.start('', { prompt: undefined })).toEqual({ how: 'running', pid: process.pid })
  expect(world.notices).toEqual([])
  expect(await world.start('')).toEqual({ how: 'running', pid: process.pid })
  expect(world.notices).toEqual(['the new prompt was not sent: the task is running (type it there: ion attach made)'])
  await expect(world.start('', { onOtherPrompt: 'refuse' })).rejects.toMatchObject({
    kind: 'refused',
    message: `made is already running with another prompt (pid ${process.pid})`,
  })
  await expect(world.start('', { send: true })).rejects.toMatchObject({
    kind: 'refused',
    hint: 'type it there: ion attach made',
  })
  await expect(world.start('', { isNew: true })).rejects.toMatchObject({
    kind: 'refused',
    hint: 'ion stop made, then try again',
  })
})

test('a task that is running in a terminal is refused', async () => {
  const world = setUp()
  hold(world, 'terminal')
  await expect(world.start('')).rejects.toMatchObject({ kind: 'refused' })
})

test('a host that never gets its agent is reported, not waited for forever', async () => {
  const world = setUp()
  hold(world, 'detached')
  await expect(world.start('', {}, { timeoutMs: 1 })).rejects.toThrow(
    `another Ion (pid ${process.pid}) is starting Made, and does not finish`,
  )
})

test('of two starts at the same instant the slower one finds the faster', async () => {
  const world = setUp()
  await fakeHost(world)
  const starting = world.start(
    `setTimeout(() => ${report("{ type: 'failed', kind: 'refused', message: 'it is taken' }")}, 300)`,
    { prompt: undefined },
  )
  hold(world, 'detached')
  expect(await starting).toEqual({ how: 'running', pid: process.pid })
})
