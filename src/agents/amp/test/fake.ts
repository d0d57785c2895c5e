import { randomUUID } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type FakeAgent, type FakeCall, type FakeWorld, parseArguments } from '../../../../test/fake-agent/fake.ts'
import { dataFolder } from '../paths.ts'
import { THREAD_ID } from '../thread.ts'

const VERSION = '0.0.1768018268-gcd18ba'
const MODEL = 'fake'

const LINE = '─'.repeat(32)
/** The cursor is in it. */
const INPUT_BOX = `\n╭─smart${LINE}╮\n│ \n╰──────${LINE}╯\x1b[1A\r\x1b[2C`

/** Behaves like the build of 2026-01, the last one with threads in files: see ../README.md. */
export const fake: FakeAgent = {
  version: `${VERSION} (released 2026-01-10T04:16:10.531Z, 10mo ago)`,
  inputBox: INPUT_BOX,
  parse,
  has: (session, world) => existsSync(fileOf(session, world)),
  // The file exists before the first line of output.
  create(_call, world) {
    const id = `T-${randomUUID()}`
    const tree = { displayName: basename(world.cwd), uri: pathToFileURL(world.cwd).href }
    const initial = { trees: [tree], platform: { client: 'CLI', clientVersion: VERSION } }
    save({ v: 0, id, created: Date.parse(world.now()), messages: [], nextMessageId: 0, env: { initial } }, world)
    return id
  },
  prompt: (session, text, world) =>
    add(session, { role: 'user', meta: { sentAt: Date.parse(world.now()) } }, text, world),
  answer: (session, text, world) =>
    add(session, { role: 'assistant', state: { type: 'complete', stopReason: 'end_turn' }, usage }, text, world),
  opening: (session_id) => line({ type: 'system', subtype: 'init', session_id }),
  output: (session_id, result) => line({ type: 'result', subtype: 'success', is_error: false, result, session_id }),
}

const usage = { model: MODEL, inputTokens: 120, outputTokens: 20 }

function parse(argv: readonly string[], world: FakeWorld): FakeCall {
  const { options, positional: words } = parseArguments(argv, ['mode', 'm'])
  const headless = options.has('x')
  const resume = words[0] === 'threads' && words[1] === 'continue' ? words[2] : undefined
  if (resume !== undefined && !THREAD_ID.test(resume)) {
    return { interactive: false, refusal: { text: `Error: Invalid thread ID or URL: ${resume}`, code: 1 } }
  }
  const prompt = world.stdin()
  return {
    interactive: !headless,
    ...(prompt === '' ? {} : { prompt }),
    ...(resume === undefined ? {} : { resume, unknown: { text: `Error: Thread ${resume} does not exist.`, code: 1 } }),
  }
}

interface Thread {
  readonly id: string
  readonly v: number
  readonly nextMessageId: number
  readonly messages: readonly object[]
}

/** Rewrites the file with each message. */
function add(session: string, message: object, text: string, world: FakeWorld): void {
  const thread = JSON.parse(readFileSync(fileOf(session, world), 'utf8')) as Thread
  const { v, nextMessageId, messages } = thread
  const added = { ...message, messageId: nextMessageId, content: [{ type: 'text', text }] }
  save({ ...thread, v: v + 1, nextMessageId: nextMessageId + 1, messages: [...messages, added] }, world)
}

function save(thread: Thread & Readonly<Record<string, unknown>>, world: FakeWorld): void {
  world.replace(fileOf(thread.id, world), JSON.stringify(thread, null, 2))
}

function fileOf(session: string, { io }: FakeWorld): string {
  return join(dataFolder(io), 'threads', `${session}.json`)
}

function line(value: object): string {
  return `${JSON.stringify(value)}\n`
}
