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
import { isUuid } from '../../../events/id.ts'
import { sessionFolders } from '../paths.ts'

const VERSION = '1.0.102'

/** Behaves like 1.0.102: see ../README.md. */
export const fake: FakeAgent = {
  inputBox: boxed('─', '❯ ', '─'),
  version: `GitHub Copilot CLI ${VERSION}.`,
  parse,
  has: (session, world) => existsSync(eventsOf(session, world)),
  // The folder is created at once, the events with the first prompt.
  create(call, world) {
    const session = call.chosen ?? randomUUID()
    world.replace(join(folderOf(session, world), 'workspace.yaml'), `id: ${session}\ncwd: ${world.cwd}\n`)
    return session
  },
  prompt(session, text, world) {
    const file = eventsOf(session, world)
    if (!existsSync(file)) {
      const data = {
        sessionId: session,
        version: 1,
        producer: 'copilot-agent',
        copilotVersion: VERSION,
        startTime: world.now(),
        context: { cwd: world.cwd },
      }
      world.append(file, line('session.start', data, file, world))
    }
    world.append(file, line('user.message', { content: text, transformedContent: text }, file, world))
  },
  answer(session, text, world) {
    const file = eventsOf(session, world)
    world.append(
      file,
      line('assistant.message', { messageId: randomUUID(), content: text, toolRequests: [] }, file, world),
    )
  },
  output: (_session, answer) => `${answer}\n\n`,
}

function parse(argv: readonly string[], world: FakeWorld): FakeCall {
  const { options } = parseArguments(argv, ['model', 'i', 'p', 'session-id'])
  const headless = options.has('s') || options.has('p')
  const prompt = options.get('interactive') ?? options.get('i') ?? options.get('p') ?? (headless ? world.stdin() : '')
  const resume = options.get('resume')
  // Creates the session, or opens it if it exists.
  const chosen = options.get('session-id')
  const call: FakeCall = {
    interactive: !headless,
    ...(prompt === '' ? {} : { prompt }),
    ...(chosen === undefined ? {} : existsSync(eventsOf(chosen, world)) ? { resume: chosen } : { chosen }),
    ...(resume === undefined
      ? {}
      : { resume, unknown: { text: `Error: No session, task, or name matched '${resume}'.`, code: 1 } }),
  }
  if (chosen !== undefined && !isUuid(chosen)) {
    const text = `Error: No session or task matched '${chosen}'.\nThe value is not a valid UUID, so a new session cannot be created.`
    return { ...call, refusal: { text, code: 1 } }
  }
  if (headless && prompt === '') {
    const text = 'No prompt provided. Run in an interactive terminal or provide a prompt with -p or via standard in.'
    return { ...call, refusal: { text, code: 1 } }
  }
  return call
}

function folderOf(session: string, { io }: FakeWorld): string {
  return join(sessionFolders(io)[0]!, session)
}

function eventsOf(session: string, world: FakeWorld): string {
  return join(folderOf(session, world), 'events.jsonl')
}

function line(type: string, data: object, file: string, world: FakeWorld): string {
  return JSON.stringify({ type, data, id: randomUUID(), timestamp: world.now(), parentId: lastId(file) })
}

function lastId(file: string): string | null {
  if (!existsSync(file)) return null
  const ids = readFileSync(file, 'utf8').match(/"id":"[^"]+","timestamp"/g)
  return ids?.at(-1)?.slice('"id":"'.length, -'","timestamp"'.length) ?? null
}
