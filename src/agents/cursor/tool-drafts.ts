import { asString } from '../../native/narrow.ts'
import type { Draft } from '../../native/sequencer.ts'
import { resultOf } from './messages.ts'
import { allBytes, bytesOf, type Field, numberOf, rawFields, readMessage, textOf } from './protobuf.ts'
import { HOOK_CONTEXT, type ModelSide } from './records.ts'
import { argumentId, CALL, namedArguments, SHELL, SHELL_ARGS, TOOL, toolKinds } from './tools.ts'

/** The first case of every result is success. */
const SUCCESS = 1

/**
 * A step that is a tool call, with its result once it exists. The model's side has what the model wrote and got; where it
 * lacks the call, arguments have the names that are known, and other fields are kept under their numbers. Throws on anything
 * that is not a tool call.
 */
export function toolDrafts(call: readonly Field[], model: ModelSide, key: string): Draft[] {
  const besides: readonly number[] = Object.values(CALL)
  const kind = call.find((field) => typeof field.value !== 'bigint' && !besides.includes(field.number))
  if (!kind) throw new Error('a tool call without a tool')
  const body = readMessage(kind.value as Buffer)
  const args = bytesOf(body, TOOL.args)
  const given = args ? readMessage(args) : []
  const id = textOf(call, CALL.id) || callId(kind.number, given, model)
  const use: Draft = {
    type: 'tool_use',
    id: id ?? key,
    name: toolKinds[kind.number] ?? `tool-${kind.number}`,
    input:
      kind.number === SHELL ? shellInput(given) : ((id && model.call(id)?.args) ?? namedArguments(kind.number, given)),
    time: numberOf(call, CALL.startedMs),
  }
  // Anything besides arguments and result is kept with the call.
  const more = body.filter(({ number }) => number !== TOOL.args && number !== TOOL.result)
  const input = more.length ? { ...Object(use.input), more: rawFields(more) } : use.input
  const result = resultDraft(kind.number, bytesOf(body, TOOL.result), id, model)
  const time = numberOf(call, CALL.completedMs)
  return [
    { ...use, input },
    ...(result ? [{ ...result, id: `${id ?? key}:result`, tool_use_id: id ?? key, time }] : []),
    ...hookDrafts(call, CALL.hookContexts),
  ]
}

/** Text that hooks added, and that the model got too. */
export function hookDrafts(fields: readonly Field[], number: number): Draft[] {
  return allBytes(fields, number).map((bytes) => {
    const context = readMessage(bytes)
    const content = { hook: textOf(context, HOOK_CONTEXT.event) ?? '', text: textOf(context, HOOK_CONTEXT.text) ?? '' }
    return { type: 'system', subtype: 'hook_context', content }
  })
}

/** Among the arguments: in a known field, or the text that the model's side knows as an id. */
function callId(kind: number, args: readonly Field[], model: ModelSide): string | undefined {
  if (kind === SHELL) return textOf(args, SHELL_ARGS.callId) || undefined
  return (
    argumentId(kind, args) ??
    args
      .flatMap(({ number }) => asString(rawFields(args)[number]) ?? [])
      .find((text) => text.length < 200 && (model.call(text) || model.result(text)))
  )
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
  const found = id === undefined ? undefined : model.result(id)
  const item = found && resultOf(found)
  if (!bytes) return item && { type: 'tool_result', ...item }
  const result = readMessage(bytes)
  const failed = result[0] !== undefined && result[0].number !== SUCCESS
  const shown = kind === SHELL ? shellText(result) : item?.content
  const content = shown ?? JSON.stringify(rawFields(result))
  return { type: 'tool_result', content, is_error: failed || item?.is_error === true }
}

const FAILURE = 2
const OUTCOME = { exitCode: 3, reason: 3, stdout: 5, stderr: 6 } as const
/** A long output has only its beginning and its end, and the number of characters between them. */
const LONG_OUTPUT: Readonly<Record<number, { readonly all: number; readonly head: number; readonly tail: number }>> = {
  [SUCCESS]: { all: 10, head: 15, tail: 16 },
  [FAILURE]: { all: 9, head: 13, tail: 14 },
}

/** What the command printed; undefined when the result has no output, as when it was refused. */
function shellText(result: readonly Field[]): string | undefined {
  const [first] = result
  if (!first || typeof first.value === 'bigint') return undefined
  const outcome = readMessage(first.value)
  const stdout = textOf(outcome, OUTCOME.stdout)
  const stderr = textOf(outcome, OUTCOME.stderr)
  if (stdout || stderr) return [stdout, stderr].filter(Boolean).join(stdout?.endsWith('\n') ? '' : '\n')
  const long = LONG_OUTPUT[first.number]
  // Rejected, not started or not permitted: the reason.
  if (!long) return textOf(outcome, OUTCOME.reason)
  const all = textOf(outcome, long.all)
  if (all) return all
  const ends = [textOf(outcome, long.head), textOf(outcome, long.tail)]
  if (ends.some(Boolean)) return ends.map((end) => end ?? '').join('\n…\n')
  const exitCode = numberOf(outcome, OUTCOME.exitCode)
  if (exitCode) return `exit code ${exitCode}`
  return stdout ?? stderr ?? (exitCode === undefined ? undefined : '')
}
