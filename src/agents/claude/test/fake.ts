import { randomUUID } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  boxed,
  type FakeAgent,
  type FakeCall,
  type FakeWorld,
  parseArguments,
} from '../../../../test/fake-agent/fake.ts'
import { folderName } from '../backup.ts'
import { projectsFolder } from '../paths.ts'

const VERSION = '2.1.325'

/** Behaves like 2.1.325: see ../README.md. */
export const fake: FakeAgent = {
  inputBox: boxed('─', '❯ ', '─'),
  version: `${VERSION} (Claude Code)`,
  parse,
  has: (session, world) => existsSync(fileOf(session, world)),
  // Nothing is written before the first prompt.
  create: (call) => call.chosen ?? randomUUID(),
  prompt(session, text, world) {
    const file = fileOf(session, world)
    world.append(file, line({ type: 'user', message: { role: 'user', content: text } }, session, world))
  },
  answer(session, text, world) {
    const message = {
      id: `msg_${randomUUID()}`,
      role: 'assistant',
      model: 'fake',
      content: [{ type: 'text', text }],
    }
    world.append(fileOf(session, world), line({ type: 'assistant', message }, session, world))
  },
}

function parse(argv: readonly string[], world: FakeWorld): FakeCall {
  const { options, positional: words } = parseArguments(argv, ['session-id', 'resume', 'model', 'permission-mode'])
  const headless = options.has('p')
  const chosen = options.get('session-id')
  const resume = options.get('resume')
  const prompt = words[0] ?? (headless ? world.stdin() : '')
  const call: FakeCall = {
    interactive: !headless,
    ...(prompt === '' ? {} : { prompt }),
    ...(chosen === undefined ? {} : { chosen }),
    ...(resume === undefined
      ? {}
      : { resume, unknown: { text: `No conversation found with session ID: ${resume}`, code: 1 } }),
  }
  if (chosen !== undefined && existsSync(fileOf(chosen, world))) {
    return { ...call, refusal: { text: `Error: Session ID ${chosen} is already in use.`, code: 1 } }
  }
  return call
}

/** Enough of the real rule for the paths in tests: every other character becomes a dash. */
function fileOf(session: string, { io, cwd }: FakeWorld): string {
  return join(projectsFolder(io), folderName(cwd), `${session}.jsonl`)
}

function line(record: object, sessionId: string, world: FakeWorld): string {
  return JSON.stringify({
    ...record,
    uuid: randomUUID(),
    parentUuid: lastUuid(fileOf(sessionId, world)),
    timestamp: world.now(),
    sessionId,
    cwd: world.cwd,
    version: VERSION,
  })
}

function lastUuid(file: string): string | null {
  if (!existsSync(file)) return null
  const uuids = readFileSync(file, 'utf8').match(/"uuid":"[^"]+"/g)
  return uuids?.at(-1)?.slice('"uuid":"'.length, -1) ?? null
}
