import { randomUUID } from 'node:crypto'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { type FakeAgent, type FakeCall, type FakeWorld, parseArguments } from '../../../../test/fake-agent/fake.ts'
import { projectFolder, sessionsFolder } from '../paths.ts'

/** What was asked and is not answered yet: only in memory, so that a kill loses it. */
const asked = new Map<string, string>()

/** As 0.87.1 was seen to behave: see ../README.md. */
export const fake: FakeAgent = {
  version: '0.87.1',
  // Its cursor is in the first column; the reset of colours marks the end of the box for tests.
  inputBox: `\n${'─'.repeat(40)}\n\n${'─'.repeat(40)}\x1b[1A\r\x1b[m`,
  parse,
  has: (session, world) => existsSync(fileOf(session, world)),
  create: (call) => call.chosen ?? randomUUID(),
  prompt: (session, text) => void asked.set(session, text),
  // The first thing that is stored: the head, what was asked, and the answer to it.
  answer(session, text, world) {
    const file = fileOf(session, world)
    const content = (text: string): object[] => [{ type: 'text', text }]
    if (!existsSync(file)) {
      const head = { type: 'session', version: 3, id: session, timestamp: world.now(), cwd: world.cwd }
      world.append(file, JSON.stringify(head))
    }
    const user = { role: 'user', content: content(asked.get(session) ?? '') }
    world.append(file, record(user, world))
    world.append(file, record({ role: 'assistant', content: content(text), stopReason: 'stop' }, world))
  },
}

function parse(argv: readonly string[], world: FakeWorld): FakeCall {
  const { options, positional } = parseArguments(argv, ['model', 'session', 'session-id'])
  const headless = options.has('p')
  const prompt = headless ? world.stdin() : positional[0]
  const resume = options.get('session')
  return {
    interactive: !headless,
    ...(prompt ? { prompt } : {}),
    ...(options.has('session-id') ? { chosen: options.get('session-id')! } : {}),
    ...(resume === undefined ? {} : { resume, unknown: { text: `No session found matching '${resume}'`, code: 1 } }),
  }
}

function record(message: object, world: FakeWorld): string {
  const id = randomUUID().slice(0, 8)
  return JSON.stringify({ type: 'message', id, timestamp: world.now(), message })
}

/** By its id, in the folder of the project. */
function fileOf(session: string, { io, cwd }: FakeWorld): string {
  const folder = join(sessionsFolder(io), projectFolder(cwd))
  const found = existsSync(folder) ? readdirSync(folder).find((name) => name.endsWith(`_${session}.jsonl`)) : undefined
  return join(folder, found ?? `2026-11-16T10-00-00-000Z_${session}.jsonl`)
}
