import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { isProblem } from '../../events/item.ts'
import { bounded, columnNames, tableNames, withNativeDatabase } from '../../native/database.ts'
import { firstOf } from '../../native/file-head.ts'
import { asArray, asObject, asString, parsedObject } from '../../native/narrow.ts'
import { readSettings } from '../../native/settings.ts'
import { attempt } from '../../platform/error.ts'
import { repositoryOf } from '../../platform/git-identity.ts'
import type { Io } from '../../platform/io.ts'
import { projectOf } from '../../platform/project.ts'
import type { Database } from '../../platform/sqlite.ts'
import type { Refusal } from '../start.ts'
import type {
  AssistantMessage,
  NewSession,
  SessionWriter,
  ToolCall,
  UserMessage,
  WriteTarget,
  WrittenSession,
} from '../write.ts'
import { backup } from './backup.ts'
import { activeDatabase, dataFolder } from './paths.ts'
import { hasOtherSettings, settingsOf } from './settings.ts'

const VERSION = '1.18.33'

/** The last change of the schema that was seen. Their names begin with the time at which they were made. */
const MIGRATION = '20260622202450_simplify_session_input'

/** Rows as `opencode import` writes them, but all or none: an import that fails leaves half a session. */
export const writer: SessionWriter = {
  proven: { oldest: VERSION, newest: VERSION },
  budget: 120_000,
  calls: 'kept',
  images: true,
  prepare,
}

interface Model {
  readonly providerID: string
  readonly modelID: string
}

interface Facts {
  readonly database: { readonly root: string; readonly path: string }
  readonly version: string
  readonly project: Project
  /** The one that answers next. */
  readonly model: Model
  readonly agent: string
  /** No message may be later, since the next prompt is put in order by its time. */
  readonly now: number
}

interface Project {
  readonly id: string
  /** The top folder, to which paths of sessions are relative. */
  readonly top: string
}

function prepare({ cwd, version, io }: WriteTarget): Refusal | ((session: NewSession) => WrittenSession) {
  const path = activeDatabase(io)
  const root = dirname(path) === dataFolder(io) ? 'data' : 'database'
  const name = basename(path)
  if (!backup.files[root]!.some((pattern) => pattern.test(name))) {
    return { why: `${path} is not named like a database`, hint: 'change OPENCODE_DB to a name that ends with .db' }
  }
  if (!existsSync(path)) return { why: `${path} does not exist`, hint: 'start opencode once, then try again' }
  const settings = attempt(() => settingsOf(cwd, io))
  if (!settings) return { why: 'a settings file of OpenCode is not JSON', hint: 'opencode says where it is wrong' }
  const [found] = withNativeDatabase(path, (database) => [lookInto(database)])
  if (!found || isProblem(found)) return { why: found?.problem ?? `${path} cannot be read`, hint: 'ion doctor' }
  if ('why' in found) return found
  const setting = (key: string): string | undefined => firstOf(settings, (one) => asString(one[key]))
  // Which model those settings choose is not known; the one that was used last is likely to work.
  const chosen = hasOtherSettings(io) ? undefined : modelOf(setting('model'))
  const model = chosen ?? lastChosen(io) ?? found.lastModel
  if (!model) {
    return {
      why: 'which model OpenCode will use is not known',
      hint: 'choose one in opencode with /models, or set "model" in opencode.json',
    }
  }
  const facts: Facts = {
    database: { root, path: name },
    version: version ?? VERSION,
    project: projectIn(cwd),
    model,
    agent: setting('default_agent') ?? 'build',
    now: io.now().getTime(),
  }
  return (session) => write(session, facts)
}

/** Columns without which OpenCode was not seen to work. */
const COLUMNS = ['project_id', 'slug', 'directory', 'path', 'title', 'version', 'time_created', 'time_updated']

function lookInto(database: Database): Refusal | { readonly lastModel: Model | undefined } {
  const tables = tableNames(database)
  const last = tables.has('migration')
    ? (database.prepare('SELECT max(id) AS id FROM migration').get() as { id: unknown })
    : { id: undefined }
  if (typeof last.id === 'string' && last.id > MIGRATION) {
    return {
      why: `its database has a newer schema (${last.id}) than this version of Ion knows (${MIGRATION})`,
      hint: 'update Ion',
    }
  }
  const columns = columnNames(database, 'session')
  if (typeof last.id !== 'string' || !COLUMNS.every((column) => columns.has(column))) {
    return {
      why: 'its database has an older schema than this version of Ion knows',
      hint: `update OpenCode to ${VERSION}, start opencode once, then try again`,
    }
  }
  return { lastModel: lastUsed(database) }
}

/** The model of the newest prompt. */
function lastUsed(database: Database): Model | undefined {
  const rows = database.prepare(`SELECT ${bounded('data')} FROM message ORDER BY time_created DESC LIMIT 50`).all() as {
    data: unknown
  }[]
  for (const row of rows) {
    const data = parsedObject(row.data)
    const model = data?.role === 'user' ? asModel(data.model) : undefined
    if (model) return model
  }
  return undefined
}

/** The model that was last chosen on the screen, which OpenCode takes if no setting names one. */
function lastChosen(io: Io): Model | undefined {
  const state = io.env.XDG_STATE_HOME || join(io.home, '.local', 'state')
  const recent = attempt(() => asArray(readSettings(join(state, 'opencode', 'model.json')).recent))
  return asModel(recent?.[0])
}

function asModel(value: unknown): Model | undefined {
  const [providerID, modelID] = [asString(asObject(value)?.providerID), asString(asObject(value)?.modelID)]
  return providerID && modelID ? { providerID, modelID } : undefined
}

/** `provider/model`; the name of a model may contain slashes. */
function modelOf(setting: string | undefined): Model | undefined {
  const [, providerID, modelID] = /^([^/]+)\/(.+)$/.exec(setting ?? '') ?? []
  return providerID && modelID ? { providerID, modelID } : undefined
}

/**
 * OpenCode writes a repository's id into its `.git` when it first opens it. Sessions from before that belong to the project
 * `global`, and OpenCode moves those of the top folder then.
 */
function projectIn(cwd: string): Project {
  const top = projectOf(cwd)
  const repository = repositoryOf(top)
  if (!repository) return { id: GLOBAL, top: '/' }
  const id = attempt(() => readFileSync(join(repository.common, 'opencode'), 'utf8').trim())
  return { id: id || GLOBAL, top }
}

const GLOBAL = 'global'

function write(session: NewSession, facts: Facts): WrittenSession {
  const { id, cwd, at, title } = session
  const { database, project, version } = facts
  const time = Date.parse(at)
  const nativeId = sessionIdOf(id, time)
  const rows = new Rows(session, facts, nativeId)
  for (const [index, message] of session.messages.entries()) {
    if (message.role === 'assistant') rows.answer(message)
    // Only as the first: a compaction hides everything before it.
    else if (message.isSummary && index === 0) rows.summary(message)
    else rows.prompt(message)
  }
  const times = { time_created: time, time_updated: time }
  return {
    nativeId,
    parts: [
      {
        kind: 'rows',
        ...database,
        tables: [
          {
            table: 'project',
            where: { id: project.id },
            shared: true,
            rows: [
              {
                id: project.id,
                worktree: project.top,
                vcs: project.top === '/' ? null : 'git',
                sandboxes: '[]',
                ...times,
              },
            ],
          },
          {
            table: 'session',
            where: { id: nativeId },
            rows: [
              {
                id: nativeId,
                project_id: project.id,
                slug: `ion-${id.slice(0, 8)}`,
                directory: cwd,
                path: relative(resolve(project.top), cwd),
                title,
                version,
                ...times,
              },
            ],
          },
          { table: 'message', where: { session_id: nativeId }, rows: rows.messages },
          { table: 'part', where: { session_id: nativeId }, rows: rows.parts },
        ],
      },
    ],
  }
}

type Row = Readonly<Record<string, string | number>>

/** The rows of messages and parts. Messages are read by time, then id; parts by id. */
class Rows {
  readonly messages: Row[] = []
  readonly parts: Row[] = []
  readonly #session: NewSession
  readonly #facts: Facts
  readonly #sessionId: string
  readonly #suffix: string
  #count = 0
  #time = 0
  #prompt = ''

  constructor(session: NewSession, facts: Facts, sessionId: string) {
    this.#session = session
    this.#facts = facts
    this.#sessionId = sessionId
    this.#suffix = sessionId.slice(-14)
  }

  prompt({ content, timestamp }: UserMessage): void {
    this.#user(
      timestamp,
      content.map((block) => {
        if (block.type === 'text') return { type: 'text', text: block.text }
        const mime = block.media_type ?? 'image/png'
        return { type: 'file', mime, filename: `image.${mime.split('/')[1]}`, url: `data:${mime};base64,${block.data}` }
      }),
    )
  }

  /** As OpenCode compacts: it asks for a summary, and what answers that is all that the model gets of the time before. */
  summary({ content, timestamp }: UserMessage): void {
    const time = this.#user(timestamp, [{ type: 'compaction', auto: false }])
    const texts = content.map((block) => (block.type === 'text' ? block.text : ''))
    this.#add(
      { ...this.#assistant(time, this.#facts.model.modelID), mode: 'compaction', agent: 'compaction', summary: true },
      time,
      [{ type: 'text', text: texts.join('\n'), time: { start: time, end: time } }],
    )
  }

  answer({ content, timestamp, model }: AssistantMessage): void {
    const time = this.#next(timestamp)
    const hasCalls = content.some((block) => block.type === 'call')
    this.#add(
      { ...this.#assistant(time, model ?? this.#facts.model.modelID), ...(hasCalls ? { finish: 'tool-calls' } : {}) },
      time,
      content.map((block) =>
        block.type === 'text'
          ? { type: 'text', text: block.text, time: { start: time, end: time } }
          : { type: 'tool', tool: block.name, callID: block.id, state: stateOf(block, time) },
      ),
    )
  }

  #user(timestamp: string, parts: readonly object[]): number {
    const time = this.#next(timestamp)
    const { agent, model } = this.#facts
    this.#prompt = this.#add({ role: 'user', time: { created: time }, agent, model }, time, parts)
    return time
  }

  #assistant(time: number, modelID: string): object {
    const { agent, model, project } = this.#facts
    return {
      role: 'assistant',
      parentID: this.#prompt,
      mode: agent,
      agent,
      path: { cwd: this.#session.cwd, root: project.top },
      cost: 0,
      tokens: { input: 0, output: 0, reasoning: 0, cache: { read: 0, write: 0 } },
      modelID,
      providerID: model.providerID,
      time: { created: time, completed: time },
      finish: 'stop',
    }
  }

  #add(data: object, time: number, parts: readonly object[]): string {
    const times = { time_created: time, time_updated: time }
    const id = this.#newId('msg')
    this.messages.push({ id, session_id: this.#sessionId, ...times, data: JSON.stringify(data) })
    for (const part of parts) {
      this.parts.push({
        id: this.#newId('prt'),
        message_id: id,
        session_id: this.#sessionId,
        ...times,
        data: JSON.stringify(part),
      })
    }
    return id
  }

  /** Never before the previous message. */
  #next(timestamp: string): number {
    this.#time = Math.max(this.#time, Math.min(Date.parse(timestamp), this.#facts.now))
    return this.#time
  }

  /** In order, and before those of the next prompt: whether that is answered already is decided by them. */
  #newId(prefix: string): string {
    return `${prefix}_${clock(Date.parse(this.#session.at), this.#count++)}${this.#suffix}`
  }
}

function stateOf({ input, output, isError, timestamp }: ToolCall, start: number): object {
  const time = { start, end: Math.max(start, Date.parse(timestamp)) }
  if (isError) return { status: 'error', input, error: output, time }
  return { status: 'completed', input, output, title: '', metadata: {}, time }
}

/** 48 bits of the time and a number, as OpenCode's ids begin. */
function clock(ms: number, count: number): string {
  return BigInt.asUintN(48, BigInt(ms) * 4096n + BigInt(count))
    .toString(16)
    .padStart(12, '0')
}

/** Ids of sessions begin with the inverted time: the newest comes first. */
function sessionIdOf(uuid: string, ms: number): string {
  const inverted = BigInt.asUintN(48, ~(BigInt(ms) * 4096n))
  return `ses_${inverted.toString(16).padStart(12, '0')}${letters(uuid)}`
}

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** 14 letters and digits, always the same for a session. */
function letters(uuid: string): string {
  const hash = createHash('sha256').update(uuid).digest()
  return Array.from(hash.subarray(0, 14), (byte) => ALPHABET[byte % ALPHABET.length]).join('')
}
