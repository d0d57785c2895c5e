import { randomUUID } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, unlinkSync } from 'node:fs'
import { basename, join } from 'node:path'
import {
  boxed,
  type FakeAgent,
  type FakeCall,
  type FakeWorld,
  parseArguments,
} from '../../../../test/fake-agent/fake.ts'
import { attempt } from '../../../platform/error.ts'
import { tmpFolder } from '../paths.ts'

/** Behaves like 0.61.0: see ../README.md. */
export const fake: FakeAgent = {
  inputBox: boxed('▄', ' > ', '▀'),
  version: '0.61.0',
  parse,
  has: (session, world) => fileOf(session, world) !== undefined,
  // The file is created before the first prompt.
  create(call, world) {
    const session = call.chosen ?? randomUUID()
    world.replace(join(projectFolder(world), '.project_root'), world.cwd)
    begin(session, world)
    cleanUp(session, world)
    return session
  },
  prompt: (session, text, world) => add(session, { type: 'user', content: [{ text }] }, world),
  answer: (session, text, world) => add(session, { type: 'gemini', content: text, model: 'fake' }, world),
}

/** Whether it stays open depends only on the terminal. */
function parse(argv: readonly string[], world: FakeWorld): FakeCall {
  const { options } = parseArguments(argv, ['session-id', 'resume', 'model', 'prompt-interactive'])
  const interactive = process.stdin.isTTY === true
  const prompt = interactive ? options.get('prompt-interactive') : world.stdin()
  const resume = options.get('resume')
  const chosen = options.get('session-id')
  const call: FakeCall = {
    interactive,
    ...(prompt ? { prompt } : {}),
    ...(chosen === undefined ? {} : { chosen }),
    ...(resume === undefined ? {} : { resume, unknown: { text: unknownText(resume, world), code: 42 } }),
  }
  if (!interactive && !prompt) return { ...call, refusal: { text: 'No input provided via stdin.', code: 42 } }
  if (chosen !== undefined && fileOf(chosen, world)) {
    const text = `Error starting session: Session ID "${chosen}" already exists. Use --resume to resume it, or provide a different ID.`
    return { ...call, refusal: { text, code: 42 } }
  }
  // A resume creates a new file, and then continues in the old one.
  if (resume !== undefined && fileOf(resume, world)) begin(resume, world)
  return call
}

function unknownText(session: string, world: FakeWorld): string {
  const why = chats(world).length
    ? `Invalid session identifier "${session}".`
    : 'No previous sessions found for this project.'
  return `Error resuming session: ${why}`
}

/** Enough of the real rule for the paths in tests. */
function projectFolder({ io, cwd }: FakeWorld): string {
  const folders = existsSync(tmpFolder(io)) ? readdirSync(tmpFolder(io)).map((name) => join(tmpFolder(io), name)) : []
  const rootOf = (folder: string): string | undefined =>
    attempt(() => readFileSync(join(folder, '.project_root'), 'utf8'))
  const slug = basename(cwd)
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
  return folders.find((folder) => rootOf(folder) === cwd) ?? join(tmpFolder(io), slug)
}

function chats(world: FakeWorld): string[] {
  const folder = join(projectFolder(world), 'chats')
  return existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : []
}

/** By content, not by name; a file without messages does not count. */
function fileOf(session: string, world: FakeWorld): string | undefined {
  return chats(world).find((file) => isSpoken(file) && readFileSync(file, 'utf8').includes(`"sessionId":"${session}"`))
}

function isSpoken(file: string): boolean {
  return readFileSync(file, 'utf8').includes('"type":"user"')
}

/** Named by the minute: within the same minute it is the existing file. */
function begin(session: string, world: FakeWorld): void {
  const time = world.now()
  const file = join(projectFolder(world), 'chats', nameOf(session, time))
  if (existsSync(file)) return
  world.append(
    file,
    JSON.stringify({ sessionId: session, projectHash: 'fake', startTime: time, lastUpdated: time, kind: 'main' }),
  )
}

function nameOf(session: string, time: string): string {
  return `session-${time.slice(0, 16).replace(':', '-')}-${session.slice(0, 8)}.jsonl`
}

/** Treats a file without messages as damaged, and deletes all files with the same ending. */
function cleanUp(session: string, world: FakeWorld): void {
  const others = chats(world).filter((file) => !file.endsWith(`-${session.slice(0, 8)}.jsonl`))
  for (const damaged of others.filter((file) => !isSpoken(file))) {
    for (const file of others) if (file.endsWith(damaged.slice(-15)) && existsSync(file)) unlinkSync(file)
  }
}

function add(session: string, message: object, world: FakeWorld): void {
  const file = fileOf(session, world) ?? chats(world).find((path) => path.endsWith(`-${session.slice(0, 8)}.jsonl`))!
  world.append(file, JSON.stringify({ id: randomUUID(), timestamp: world.now(), ...message }))
}
