import { randomUUID } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type FakeAgent, type FakeCall, type FakeWorld, parseArguments } from '../../../../test/fake-agent/fake.ts'
import { isUuid } from '../../../events/id.ts'
import { readContext } from '../../../native/read-context.ts'
import { archiveFolder, sessionsFolder } from '../paths.ts'
import { findRollout } from '../rollout-file.ts'

const VERSION = '0.166.0'

/** Behaves like 0.166.0: see ../README.md. */
export const fake: FakeAgent = {
  version: `codex-cli ${VERSION}`,
  parse,
  has: (session, world) => findRollout(session, readContext(world.io)) !== undefined,
  // Only the id: the file is written with the first prompt.
  create: () => randomUUID(),
  prompt(session, text, world) {
    const file = fileOf(session, world)
    if (!existsSync(file)) world.append(file, line('session_meta', meta(session, world), file, world))
    world.append(file, line('turn_context', { cwd: world.cwd, model: 'fake' }, file, world))
    addMessage(session, 'user', text, world)
  },
  answer: (session, text, world) => addMessage(session, 'assistant', text, world),
  opening: (session) => `${JSON.stringify({ type: 'thread.started', thread_id: session })}\n{"type":"turn.started"}\n`,
  output: (_session, text) =>
    `${JSON.stringify({ type: 'item.completed', item: { id: 'item_0', type: 'agent_message', text } })}\n{"type":"turn.completed"}\n`,
}

const OPTIONS = ['c', 'config', 'i', 'image', 'm', 'model', 'p', 'profile', 's', 'sandbox', 'C', 'cd', 'a']

function parse(argv: readonly string[], world: FakeWorld): FakeCall {
  const { options, positional: words } = parseArguments(argv, OPTIONS)
  const headless = words[0] === 'exec'
  const rest = words.slice(headless ? 1 : 0)
  const resume = rest[0] === 'resume' ? rest[1] : undefined
  const given = rest[resume === undefined ? 0 : 2]
  const prompt = headless && (given === undefined || given === '-') ? world.stdin() : given
  if (headless && !prompt) return { interactive: false, refusal: { text: 'No prompt provided via stdin.', code: 1 } }
  if (headless && !options.has('json')) throw new Error('not played: exec without --json')
  return {
    interactive: !headless,
    ...(prompt ? { prompt } : {}),
    ...(resume === undefined ? {} : resumed(resume, headless, world)),
  }
}

function resumed(session: string, headless: boolean, world: FakeWorld): Partial<FakeCall> {
  const path = findRollout(session, readContext(world.io))
  if (path?.startsWith(archiveFolder(world.io))) {
    const text = `Error: thread/resume: session ${session} is archived. Run \`codex unarchive ${session}\` to unarchive it first. (code -32600)`
    return { resume: session, refusal: { text, code: 1 } }
  }
  if (!headless) {
    const text = `ERROR: No saved session found with ID ${session}. Run \`codex resume\` without an ID to choose from existing sessions.`
    return { resume: session, unknown: { text, code: 1 } }
  }
  // An unknown name is not an error: it silently starts a new session.
  if (!isUuid(session)) return { resume: session }
  const text = `Error: thread/resume: thread/resume failed: no rollout found for thread id ${session} (code -32600)`
  return { resume: session, unknown: { text, code: 1 } }
}

function addMessage(session: string, role: 'user' | 'assistant', text: string, world: FakeWorld): void {
  const file = fileOf(session, world)
  const id = `msg_${randomUUID()}`
  const item = { type: 'message', id, role, content: [{ type: role === 'user' ? 'input_text' : 'output_text', text }] }
  world.append(file, line('response_item', item, file, world))
  const twin = { type: role === 'user' ? 'UserMessage' : 'AgentMessage', id, content: [{ type: 'text', text }] }
  world.append(file, line('event_msg', { type: 'item_completed', thread_id: session, item: twin }, file, world))
}

/** In a folder by date; only the name counts. */
function fileOf(session: string, world: FakeWorld): string {
  const there = findRollout(session, readContext(world.io))
  if (there) return there
  const [date, time] = world.now().slice(0, 19).split('T') as [string, string]
  const name = `rollout-${date}T${time.replaceAll(':', '-')}-${session}.jsonl`
  return join(sessionsFolder(world.io), ...date.split('-'), name)
}

function meta(session: string, world: FakeWorld): object {
  return {
    session_id: session,
    id: session,
    timestamp: world.now(),
    cwd: world.cwd,
    originator: 'codex_exec',
    cli_version: VERSION,
    source: 'exec',
    model_provider: 'openai',
    history_mode: 'paginated',
  }
}

function line(type: string, payload: object, file: string, world: FakeWorld): string {
  const ordinal = existsSync(file) ? readFileSync(file, 'utf8').split('\n').length - 1 : 0
  return JSON.stringify({ timestamp: world.now(), ordinal, type, payload })
}
