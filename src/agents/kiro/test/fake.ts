import { randomUUID } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type FakeAgent, type FakeCall, type FakeWorld, parseArguments } from '../../../../test/fake-agent/fake.ts'
import { sessionsFolder } from '../paths.ts'

/** Engine v2 as others report it, up to 2.28.0: see ../README.md. */
export const fake: FakeAgent = {
  version: 'kiro-cli 2.28.0',
  parse,
  has: (session, world) => existsSync(`${fileOf(session, world)}.json`),
  create(_call, world) {
    const session = randomUUID()
    writeMetadata(session, 0, world)
    return session
  },
  prompt: (session, text, world) =>
    addLine(session, 'Prompt', text, world, { meta: { timestamp: Math.floor(Date.parse(world.now()) / 1000) } }),
  // The turn is counted when it ends.
  answer(session, text, world) {
    addLine(session, 'AssistantMessage', text, world)
    writeMetadata(session, promptsIn(session, world), world)
  },
}

function parse(argv: readonly string[], world: FakeWorld): FakeCall {
  const { options, positional: words } = parseArguments(argv, [
    'resume-id',
    'agent',
    'model',
    'trust-tools',
    'agent-engine',
  ])
  const interactive = !options.has('no-interactive')
  const prompt = words[1] ?? (interactive ? '' : world.stdin())
  const resume = options.get('resume-id')
  const call: FakeCall = {
    interactive,
    ...(prompt === '' ? {} : { prompt }),
    // Another engine would not find the id, and v3 would silently start a new session.
    ...(resume === undefined ? {} : { resume, unknown: { text: `runError: no session ${resume}`, code: 1 } }),
  }
  if (!options.has('v2')) return { ...call, refusal: { text: 'only engine v2 is played', code: 2 } }
  if (resume !== undefined && isAhead(resume, world)) {
    return { ...call, refusal: { text: 'Agent connection closed unexpectedly', code: 1 } }
  }
  return call
}

function fileOf(session: string, { io }: FakeWorld): string {
  return join(sessionsFolder(io), 'cli', session)
}

function addLine(session: string, kind: string, text: string, world: FakeWorld, more: object = {}): void {
  const data = { message_id: randomUUID(), content: [{ kind: 'text', data: text }], ...more }
  world.append(`${fileOf(session, world)}.jsonl`, JSON.stringify({ version: 'v1', kind, data }))
}

/** Killed in a later turn: the lines have a prompt that the metadata does not. */
function isAhead(session: string, world: FakeWorld): boolean {
  const turns = metadataOf(session, world)?.session_state.conversation_metadata.user_turn_metadatas.length ?? 0
  return turns > 0 && promptsIn(session, world) > turns
}

/** Complete lines only. */
function promptsIn(session: string, world: FakeWorld): number {
  const file = `${fileOf(session, world)}.jsonl`
  return existsSync(file) ? (readFileSync(file, 'utf8').match(/"kind":"Prompt".*\}$/gm)?.length ?? 0) : 0
}

interface Metadata {
  readonly created_at: string
  readonly session_state: { readonly conversation_metadata: { readonly user_turn_metadatas: readonly object[] } }
}

function metadataOf(session: string, world: FakeWorld): Metadata | undefined {
  const file = `${fileOf(session, world)}.json`
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Metadata) : undefined
}

function writeMetadata(session_id: string, turns: number, world: FakeWorld): void {
  const metadata = {
    session_id,
    cwd: world.cwd,
    created_at: metadataOf(session_id, world)?.created_at ?? world.now(),
    updated_at: world.now(),
    title: null,
    parent_session_id: null,
    session_created_reason: 'user',
    session_state: {
      version: 'v1',
      conversation_metadata: { user_turn_metadatas: Array.from({ length: turns }, () => ({ result: null })) },
      rts_model_state: { conversation_id: session_id, model_info: null, context_usage_percentage: null },
      agent_name: null,
    },
  }
  world.replace(`${fileOf(session_id, world)}.json`, JSON.stringify(metadata, null, 2))
}
