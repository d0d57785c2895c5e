import { asString } from '../../native/narrow.ts'
import type { Draft } from '../../native/sequencer.ts'
import { messageDrafts, resultOf } from './messages.ts'
import { bytesOf, type Field, numberOf, rawFields, readMessage, textOf } from './protobuf.ts'
import {
  type ModelSide,
  SHELL_ARGS,
  SHELL_OUTCOME,
  SPOKEN,
  STEP,
  type StoreRecord,
  TOOL,
  toolKinds,
  USER,
} from './records.ts'

/** What a record of a store says. */
export function storeDrafts(record: StoreRecord, key: string): readonly Draft[] | undefined {
  switch (record.kind) {
    case 'summary':
      return [{ type: 'compaction', summary: record.text, replaces: [] }]
    case 'user':
      return userDrafts(record.fields, record.text)
    case 'step':
      return stepDrafts(record, key)
    case 'shell':
      return shellDrafts(record.command, record.output)
    case 'message':
      return messageDrafts(record.message, key) ?? [{ type: 'native', record: record.message }]
    case 'unknown':
      return [{ type: 'native', record: { [record.what]: record.raw } }]
  }
}

function userDrafts(fields: readonly Field[], text: string): Draft[] {
  const time = numberOf(fields, USER.startedMs)
  const context = fields.filter((field) => field.number === USER.context)
  const said: Draft[] = numberOf(fields, USER.simulated)
    ? [{ type: 'system', subtype: 'simulated', content: text, time }]
    : [{ type: 'user', content: text, time }]
  if (!context.length) return said
  return [...said, { type: 'system', subtype: 'selected_context', content: rawFields(context)[USER.context], time }]
}

/** What cannot be decoded is kept under its field numbers, since a native event must not contain bytes. */
function stepDrafts({ fields, model }: Extract<StoreRecord, { kind: 'step' }>, key: string): Draft[] {
  try {
    const spoken = bytesOf(fields, STEP.assistant)
    const tool = bytesOf(fields, STEP.tool)
    const thought = bytesOf(fields, STEP.thinking)
    if (tool) return toolDrafts(readMessage(tool), model, key)
    if (spoken) return spokenDrafts(readMessage(spoken))
    if (thought) return thinkingDrafts(readMessage(thought))
  } catch {
    // Kept below.
  }
  return [{ type: 'native', record: { step: rawFields(fields) } }]
}

function spokenDrafts(message: readonly Field[]): Draft[] {
  const text = textOf(message, SPOKEN.text)
  const time = numberOf(message, SPOKEN.startedMs)
  return text ? [{ type: 'assistant', content: [{ type: 'text', text }], time }] : []
}

function thinkingDrafts(message: readonly Field[]): Draft[] {
  const content = textOf(message, SPOKEN.text)
  return content ? [{ type: 'thinking', content }] : []
}

/** A command that the user ran in the chat: not a prompt. */
function shellDrafts(command: readonly Field[], output: readonly Field[]): Draft[] {
  const drafts: Draft[] = []
  if (command.length) drafts.push({ type: 'system', subtype: 'local_command', content: shortest(command) })
  if (output.length) drafts.push({ type: 'system', subtype: 'local_command_output', content: shortest(output) })
  return drafts
}

/** Only the text where there is nothing else. */
function shortest(fields: readonly Field[]): unknown {
  const raw = rawFields(fields)
  return Object.keys(raw).length === 1 && typeof raw[1] === 'string' ? raw[1] : raw
}

const SHELL = 1

/** The first case of every result is success. */
const SUCCESS = 1

/**
 * A step that is a tool call, with its result once it exists. Only the shell's arguments are known by name; for the others the
 * model's side has names, and where it lacks the call the fields are kept under their numbers. Throws on anything that is
 * not a tool call.
 */
function toolDrafts(call: readonly Field[], model: ModelSide, key: string): Draft[] {
  const kind = call.find((field) => typeof field.value !== 'bigint')
  if (!kind) throw new Error('a tool call without a tool')
  const body = readMessage(kind.value as Buffer)
  const args = bytesOf(body, TOOL.args)
  const given = args ? readMessage(args) : []
  const id = callId(kind.number, given, model)
  const use: Draft = {
    type: 'tool_use',
    id: id ?? key,
    name: toolKinds[kind.number] ?? `tool-${kind.number}`,
    input: kind.number === SHELL ? shellInput(given) : ((id && model.call(id)?.args) ?? rawFields(given)),
  }
  // Anything besides arguments and result is kept with the call.
  const more = body.filter(({ number }) => number !== TOOL.args && number !== TOOL.result)
  const input = more.length ? { ...Object(use.input), more: rawFields(more) } : use.input
  const result = resultDraft(kind.number, bytesOf(body, TOOL.result), id, model)
  return [{ ...use, input }, ...(result ? [{ ...result, id: `${id ?? key}:result`, tool_use_id: id ?? key }] : [])]
}

/** The shell has a field for it; for other tools it is the text that the model's side knows as an id. */
function callId(kind: number, args: readonly Field[], model: ModelSide): string | undefined {
  if (kind === SHELL) return textOf(args, SHELL_ARGS.callId) || undefined
  return args
    .flatMap(({ number }) => asString(rawFields(args)[number]) ?? [])
    .find((text) => text.length < 200 && (model.call(text) || model.result(text)))
}

function shellInput(args: readonly Field[]): Record<string, unknown> {
  const known: readonly number[] = Object.values(SHELL_ARGS)
  const command = textOf(args, SHELL_ARGS.command) ?? ''
  const working_directory = textOf(args, SHELL_ARGS.folder)
  const more = rawFields(args.filter(({ number }) => !known.includes(number)))
  return { command, ...(working_directory ? { working_directory } : {}), ...more }
}

type Result = Pick<Extract<Draft, { type: 'tool_result' }>, 'type' | 'content' | 'is_error'>

function resultDraft(
  kind: number,
  bytes: Buffer | undefined,
  id: string | undefined,
  model: ModelSide,
): Result | undefined {
  const item = id === undefined ? undefined : model.result(id)
  if (!bytes) return item && { type: 'tool_result', ...resultOf(item) }
  const result = readMessage(bytes)
  const is_error = result[0] !== undefined && result[0].number !== SUCCESS
  const shown = kind === SHELL ? shellText(result) : item && resultOf(item).content
  return { type: 'tool_result', content: shown ?? JSON.stringify(rawFields(result)), is_error }
}

/** What the command printed; undefined when the result has no output, as when it was refused. */
function shellText(result: readonly Field[]): string | undefined {
  const outcome = result[0] && typeof result[0].value !== 'bigint' ? readMessage(result[0].value) : []
  const stdout = textOf(outcome, SHELL_OUTCOME.stdout)
  const stderr = textOf(outcome, SHELL_OUTCOME.stderr)
  const exitCode = numberOf(outcome, SHELL_OUTCOME.exitCode)
  if (stdout || stderr) return [stdout, stderr].filter(Boolean).join(stdout?.endsWith('\n') ? '' : '\n')
  if (exitCode) return `exit code ${exitCode}`
  return stdout ?? stderr ?? (exitCode === undefined ? undefined : '')
}
