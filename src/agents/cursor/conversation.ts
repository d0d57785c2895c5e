import { isProblem, type Problem } from '../../events/item.ts'
import { asArray, asObject, asString } from '../../native/narrow.ts'
import type { ReadContext } from '../../native/read-context.ts'
import type { Keyed } from '../../native/translate.ts'
import type { Database } from '../../platform/sqlite.ts'
import { allBytes, bytesOf, type Field, rawFields, textOf } from './protobuf.ts'
import {
  AGENT_TURN,
  ARCHIVE,
  ENTRY,
  type ModelMessage,
  type ModelSide,
  ROOT,
  SHELL_TURN,
  STEP,
  type StoreRecord,
  SUMMARY,
  TURN,
  USER,
} from './records.ts'
import { Blobs, parseJson, readMeta } from './store.ts'
import { TRUNCATED, TRUNCATED_CALL } from './tools.ts'

type Records = Generator<Keyed<StoreRecord> | Problem>

/**
 * The records of a chat, starting at its newest root. The table keeps old roots and abandoned branches too, so it is never
 * listed directly. A missing blob is a problem and loses only its content.
 */
export function* conversation(database: Database, path: string, reading: ReadContext): Records {
  const blobs = new Blobs(database, path)
  const root = blobs.message(readMeta(database).root, 'the root of the chat')
  if (isProblem(root)) {
    reading.coverage.bad++
    yield root
    return
  }
  for (const item of rootRecords(root, blobs)) {
    if (isProblem(item)) reading.coverage.bad++
    yield item
  }
}

function* rootRecords(root: readonly Field[], blobs: Blobs): Records {
  yield* summaries(root, blobs)
  const turns = allBytes(root, ROOT.turns)
  const messages = allBytes(root, ROOT.messages)
  const model = modelSide(() => [...archivedMessages(root, blobs), ...messages], blobs)
  for (const [index, id] of turns.entries()) {
    const turn = blobs.message(id, `turn-${index + 1}`)
    if (isProblem(turn)) yield turn
    else yield* turnRecords(turn, `turn-${index + 1}`, blobs, model)
  }
  if (!turns.some((id) => blobs.get(id))) yield* modelMessages(messages, blobs)
  yield* subagentRecords(root, blobs)
}

/** In the root, or in newer chats in a blob that the root names; a state in both is read from the blob. */
function* subagentRecords(root: readonly Field[], blobs: Blobs): Records {
  const inRoot = allBytes(root, ROOT.subagentStates).map((entry) => blobs.decode(entry, 'the state of a sub-agent'))
  const named = allBytes(root, ROOT.subagentRefs).map((entry) => blobs.decode(entry, 'the name of a sub-agent'))
  const states = new Map<string | undefined, readonly Field[]>()
  for (const fields of inRoot) {
    if (isProblem(fields)) yield fields
    else states.set(textOf(fields, ENTRY.key), fields)
  }
  for (const fields of named) {
    if (isProblem(fields)) {
      yield fields
      continue
    }
    const id = textOf(fields, ENTRY.key)
    const blob = bytesOf(fields, ENTRY.value)
    const state = blob && blobs.get(blob)
    if (state)
      states.set(id, [
        ...fields.filter(({ number }) => number === ENTRY.key),
        { number: ENTRY.value, value: Buffer.from(state) },
      ])
    else if (!states.has(id))
      yield { code: 'missing', problem: `the state of sub-agent ${id} is missing`, path: blobs.path }
  }
  for (const [id, fields] of states) {
    yield { record: { kind: 'unknown', what: 'sub-agent', raw: rawFields(fields) }, key: `sub-agent-${id}` }
  }
}

/** Where in the chat a summary was made is not recorded. Before the turns it hides nothing. */
function* summaries(root: readonly Field[], blobs: Blobs): Records {
  const archives = allBytes(root, ROOT.summaryArchives).map((id) => [id, ARCHIVE.text] as const)
  const current = allBytes(root, ROOT.summary).map((id) => [id, SUMMARY.text] as const)
  const seen = new Set<string>()
  for (const [id, field] of [...archives, ...current]) {
    const summary = blobs.message(id, 'a summary')
    const text = isProblem(summary) ? undefined : textOf(summary, field)
    if (isProblem(summary)) yield summary
    else if (text && !seen.has(text)) {
      seen.add(text)
      yield { record: { kind: 'summary', text }, key: `summary-${id.toString('hex').slice(0, 16)}` }
    }
  }
}

function* turnRecords(turn: readonly Field[], place: string, blobs: Blobs, model: ModelSide): Records {
  const agent = bytesOf(turn, TURN.agent)
  const inner = agent ?? bytesOf(turn, TURN.shell)
  if (!inner) {
    yield { record: { kind: 'unknown', what: 'turn', raw: rawFields(turn) }, key: place }
    return
  }
  const fields = blobs.decode(inner, place)
  if (isProblem(fields)) yield fields
  else if (agent) yield* agentTurn(fields, place, blobs, model)
  else yield* shellTurn(fields, place, blobs)
}

function* agentTurn(turn: readonly Field[], place: string, blobs: Blobs, model: ModelSide): Records {
  const said = bytesOf(turn, AGENT_TURN.userMessage)
  const user = said ? blobs.message(said, `the prompt of ${place}`) : []
  const id = (isProblem(user) ? undefined : textOf(user, USER.id)) || textOf(turn, AGENT_TURN.requestId) || place
  if (isProblem(user)) yield user
  else if (said) yield { record: { kind: 'user', fields: user, text: promptText(user, blobs) }, key: id }
  for (const [index, step] of allBytes(turn, AGENT_TURN.steps).entries()) {
    const fields = blobs.message(step, `step ${index + 1} of ${place}`)
    // A step has no id: it is keyed by its index in the turn, which only grows.
    if (isProblem(fields)) {
      yield fields
      continue
    }
    const original = originalStep(fields, blobs)
    const whole = original && blobs.message(original, `step ${index + 1} of ${place} before it was truncated`)
    if (isProblem(whole)) yield whole
    const read = whole && !isProblem(whole) ? whole : fields
    yield { record: { kind: 'step', fields: read, model }, key: `${id}/${index + 1}` }
  }
}

/** The blob of the complete step, when this one was truncated because of its size. */
function originalStep(step: readonly Field[], blobs: Blobs): Buffer | undefined {
  const call = innerMessage(step, STEP.tool, blobs)
  const truncated = call && innerMessage(call, TRUNCATED, blobs)
  return truncated && bytesOf(truncated, TRUNCATED_CALL.originalStep)
}

function innerMessage(fields: readonly Field[], number: number, blobs: Blobs): Field[] | undefined {
  const bytes = bytesOf(fields, number)
  const inner = bytes && blobs.decode(bytes, 'a step')
  return inner && !isProblem(inner) ? inner : undefined
}

/** A long prompt has its own blob. */
function promptText(user: readonly Field[], blobs: Blobs): string {
  const blob = bytesOf(user, USER.textBlob)
  const long = blob && blobs.get(blob)
  return long ? Buffer.from(long).toString('utf8') : (textOf(user, USER.text) ?? '')
}

function* shellTurn(turn: readonly Field[], place: string, blobs: Blobs): Records {
  const part = (number: number, what: string): Field[] | Problem => {
    const id = bytesOf(turn, number)
    return id ? blobs.message(id, `the ${what} of ${place}`) : []
  }
  const command = part(SHELL_TURN.command, 'command')
  const output = part(SHELL_TURN.output, 'output')
  if (isProblem(command)) yield command
  if (isProblem(output)) yield output
  const record = { kind: 'shell', command: isProblem(command) ? [] : command, output: isProblem(output) ? [] : output }
  if (!isProblem(command) || !isProblem(output)) yield { record: record as StoreRecord, key: place }
}

/**
 * Calls and results in the model's messages. Only their locations are kept in memory, and they are searched only when a tool
 * call needs them.
 */
function modelSide(messages: () => readonly Buffer[], blobs: Blobs): ModelSide {
  let places: ReadonlyMap<string, Buffer> | undefined
  const find = (type: string, id: string): ModelMessage | undefined => {
    places ??= findPlaces(messages(), blobs)
    const blob = places.get(`${type} ${id}`)
    return blob && contentOf(blob, blobs).find((item) => item.type === type && item.toolCallId === id)
  }
  return { call: (id) => find('tool-call', id), result: (id) => find('tool-result', id) }
}

/** Messages that a summary has replaced: what the calls of earlier turns got is only there. */
function archivedMessages(root: readonly Field[], blobs: Blobs): Buffer[] {
  return allBytes(root, ROOT.summaryArchives).flatMap((id) => {
    const archive = blobs.message(id, 'a summary')
    return isProblem(archive) ? [] : allBytes(archive, ARCHIVE.messages)
  })
}

function findPlaces(messages: readonly Buffer[], blobs: Blobs): Map<string, Buffer> {
  const places = new Map<string, Buffer>()
  for (const blob of messages) {
    for (const { type, toolCallId } of contentOf(blob, blobs)) {
      if (asString(toolCallId)) places.set(`${type} ${toolCallId}`, blob)
    }
  }
  return places
}

function contentOf(blob: Buffer, blobs: Blobs): ModelMessage[] {
  const content = asArray(parseJson(blobs.get(blob))?.content) ?? []
  return content.map((item) => asObject(item) ?? {})
}

/** What was sent to the model: read only when there are no turns. */
function* modelMessages(messages: readonly Buffer[], blobs: Blobs): Records {
  for (const [index, id] of messages.entries()) {
    const data = blobs.get(id)
    const message = parseJson(data)
    if (message) yield { record: { kind: 'message', message }, key: asString(message.id) ?? `message-${index + 1}` }
    else
      yield {
        code: data ? 'not_json' : 'missing',
        problem: `message ${index + 1} is ${data ? 'not JSON' : 'missing'} (blob ${id.toString('hex').slice(0, 12)}…)`,
        path: blobs.path,
      }
  }
}

/** The text of the first prompt, for a title: three blobs deep. */
export function firstPrompt(root: readonly Field[], blobs: Blobs): string | undefined {
  for (const turn of allBytes(root, ROOT.turns).slice(0, 3)) {
    const fields = blobs.message(turn, 'turn')
    const agent = isProblem(fields) ? undefined : bytesOf(fields, TURN.agent)
    const inner = agent ? blobs.decode(agent, 'turn') : []
    const said = isProblem(inner) ? undefined : bytesOf(inner, AGENT_TURN.userMessage)
    const user = said ? blobs.message(said, 'prompt') : []
    if (!isProblem(user) && user.length) return promptText(user, blobs)
  }
  return undefined
}
