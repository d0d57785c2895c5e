import type { TokenUsage } from '../../events/event.ts'
import { asCount, asObject } from '../../native/narrow.ts'
import { toIso } from '../../native/time.ts'

type Json = Readonly<Record<string, unknown>>

/**
 * A document in the Agent Trajectory Interchange Format (Harbor's RFC 0001), versions 1.0 to 1.8. What the format defines and
 * Ion's events have no field for is in `about` and `more`; what the format does not define is in `unknown`, by its path.
 */
export interface Trajectory {
  /** As in `ATIF-v1.7`: `1.7`. */
  readonly version: string
  /** Of a run, which may have several documents. */
  readonly sessionId: string | undefined
  /** Of this document. */
  readonly trajectoryId: string | undefined
  readonly agent: { readonly name: string; readonly version: string; readonly model: string | undefined }
  readonly steps: readonly (Step | UnknownStep)[]
  readonly subAgents: readonly Trajectory[]
  /** The document in which the run continues. */
  readonly continuedIn: string | undefined
  readonly about: Json
  readonly unknown: Json
}

export interface Step {
  readonly id: number
  readonly time: string | undefined
  readonly source: 'system' | 'user' | 'agent'
  readonly message: readonly Part[]
  readonly model: string | undefined
  readonly reasoning: string | undefined
  readonly calls: readonly Call[]
  readonly results: readonly Result[]
  readonly usage: TokenUsage | undefined
  /** From here on the model saw nothing of the earlier steps. */
  readonly isCompaction: boolean
  readonly more: Json
  readonly unknown: Json
}

/** A step of a kind that the format does not define. */
export interface UnknownStep {
  readonly id: number
  readonly time: string | undefined
  readonly source: undefined
  readonly record: Json
}

export type Part = { readonly type: 'text'; readonly text: string } | Media

export interface Media {
  readonly type: 'image' | 'audio'
  readonly mediaType: string
  /** A path relative to the document, an absolute one, or a URL. */
  readonly path: string
}

export interface Call {
  readonly id: string
  readonly name: string
  readonly input: Json
}

export interface Result {
  /** The call in the same step; undefined for what was observed without one. */
  readonly callId: string | undefined
  readonly content: readonly Part[]
  readonly isError: boolean
  /** The sub-agents in this document that gave the result. */
  readonly subAgents: readonly string[]
}

/** Whether a parsed JSON file is such a document, of any version. */
export function isTrajectory(value: unknown): boolean {
  const { schema_version, steps } = asObject(value) ?? {}
  return steps !== undefined && typeof schema_version === 'string' && schema_version.startsWith(TAG)
}

/** Throws with where it is wrong, and why. */
export function parseTrajectory(value: unknown): Trajectory {
  return trajectoryOf(new Field(value, ''), 0)
}

const TAG = 'ATIF-v'
const MAX_DEPTH = 20

function trajectoryOf(document: Field, depth: number): Trajectory {
  if (depth > MAX_DEPTH) document.fail(`more than ${MAX_DEPTH} sub-agents within each other`)
  const version = versionOf(document.get('schema_version'))
  const agent = document.get('agent')
  const steps = document.get('steps').list()
  if (steps.length === 0) document.get('steps').fail('no steps')
  const subAgents = document.get('subagent_trajectories').optionalList()
  const ids = new Set<string>()
  for (const id of subAgents.map((one) => one.get('trajectory_id'))) {
    if (ids.has(id.string())) id.fail(`a second sub-agent with the id "${id.string()}"`)
    ids.add(id.string())
  }
  return {
    version,
    sessionId: document.get('session_id').optionalString(),
    trajectoryId: document.get('trajectory_id').optionalString(),
    agent: {
      name: agent.get('name').string(),
      version: agent.get('version').string(),
      model: agent.get('model_name').optionalString(),
    },
    steps: steps.map((step, index) => stepOf(step, index, ids)),
    subAgents: subAgents.map((one) => trajectoryOf(one, depth + 1)),
    continuedIn: document.get('continued_trajectory_ref').optionalString(),
    about: present({
      agent: agent.object(),
      notes: document.get('notes').optionalString(),
      final_metrics: document.get('final_metrics').optionalObject(),
      continued_trajectory_ref: document.get('continued_trajectory_ref').optionalString(),
      extra: document.get('extra').optionalObject(),
    }),
    unknown: Object.fromEntries([
      ...document.others(DOCUMENT_KEYS),
      ...agent.others(AGENT_KEYS),
      ...document.get('final_metrics').others(FINAL_METRICS_KEYS),
    ]),
  }
}

const DOCUMENT_KEYS = [
  'schema_version',
  'session_id',
  'trajectory_id',
  'agent',
  'steps',
  'notes',
  'final_metrics',
  'continued_trajectory_ref',
  'extra',
  'subagent_trajectories',
]
const AGENT_KEYS = ['name', 'version', 'model_name', 'tool_definitions', 'extra']
const FINAL_METRICS_KEYS = [
  'total_prompt_tokens',
  'total_completion_tokens',
  'total_cached_tokens',
  'total_cost_usd',
  'total_steps',
  'extra',
]

function versionOf(tag: Field): string {
  const [, version, major] = /^ATIF-v((\d+)(?:\.\d+)*)$/.exec(tag.string()) ?? []
  if (version === undefined) return tag.fail(`"${tag.string()}" is not a version such as ATIF-v1.7`)
  if (major !== '1') tag.fail(`version ${version} is not known; Ion knows version 1`)
  return version
}

const SOURCES = ['system', 'user', 'agent'] as const
const STEP_KEYS = [
  'step_id',
  'timestamp',
  'source',
  'model_name',
  'reasoning_effort',
  'message',
  'reasoning_content',
  'tool_calls',
  'observation',
  'metrics',
  'extra',
  'llm_call_count',
  'is_copied_context',
]
const OF_AGENTS = ['model_name', 'reasoning_effort', 'reasoning_content', 'tool_calls', 'metrics']

function stepOf(step: Field, index: number, subAgents: ReadonlySet<string>): Step | UnknownStep {
  const id = step.get('step_id')
  if (id.value !== index + 1) id.fail(`${JSON.stringify(id.value)} instead of ${index + 1}: steps are numbered from 1`)
  const time = step.get('timestamp').optionalString()
  if (time !== undefined && toIso(time) === undefined) step.get('timestamp').fail(`"${time}" is not an ISO 8601 time`)
  const name = step.get('source').string()
  const source = SOURCES.find((one) => one === name)
  if (!source) return { id: index + 1, time, source: undefined, record: step.object() }
  if (source !== 'agent') refuseAgentFields(step, source)
  const unknown: [string, unknown][] = step.others(STEP_KEYS)
  const calls = step.get('tool_calls').optionalList()
  const results = step.get('observation').isAbsent ? [] : step.get('observation').get('results').list()
  const metrics = step.get('metrics')
  const isCopied = step.get('is_copied_context').value === true
  for (const call of calls) unknown.push(...call.others(['tool_call_id', 'function_name', 'arguments', 'extra']))
  for (const result of results) unknown.push(...result.others(RESULT_KEYS))
  unknown.push(...step.get('observation').others(['results']), ...metrics.others(METRICS_KEYS))
  return {
    id: index + 1,
    time,
    source,
    message: partsOf(step.get('message'), unknown),
    model: step.get('model_name').optionalString(),
    reasoning: step.get('reasoning_content').optionalString(),
    calls: calls.map((call) => ({
      id: call.get('tool_call_id').string(),
      name: call.get('function_name').string(),
      input: call.get('arguments').object(),
    })),
    results: results.map((result) => resultOf(result, calls, subAgents, unknown)),
    // The document that a step was copied from counts it.
    usage: metrics.isAbsent || isCopied ? undefined : usageOf(metrics),
    isCompaction: isCompaction(step),
    more: moreOf(step, calls, results, isCopied),
    unknown: Object.fromEntries(unknown),
  }
}

function refuseAgentFields(step: Field, source: string): void {
  const wrong = OF_AGENTS.map((name) => step.get(name)).find((field) => !field.isAbsent)
  wrong?.fail(`only a step of the agent may have it, not one of the ${source}`)
}

/** Harbor's convention for the steps that replace the context by a summary. */
function isCompaction(step: Field): boolean {
  const { type, boundary } = asObject(step.get('extra').optionalObject()?.context_management) ?? {}
  return type === 'compaction' && boundary === 'replace'
}

const RESULT_KEYS = ['source_call_id', 'content', 'subagent_trajectory_ref', 'extra']

function resultOf(
  result: Field,
  calls: readonly Field[],
  subAgents: ReadonlySet<string>,
  unknown: [string, unknown][],
): Result {
  const callId = result.get('source_call_id').optionalString()
  if (callId !== undefined && calls.length > 0 && !calls.some((call) => call.get('tool_call_id').value === callId)) {
    result.get('source_call_id').fail(`this step has no call "${callId}"`)
  }
  const references = result.get('subagent_trajectory_ref').optionalList()
  for (const reference of references) {
    unknown.push(...reference.others(['trajectory_id', 'trajectory_path', 'session_id', 'extra']))
    reference.object()
  }
  const { is_error, tool_result_is_error } = result.get('extra').optionalObject() ?? {}
  return {
    callId,
    content: result.get('content').isAbsent ? [] : partsOf(result.get('content'), unknown),
    isError: is_error === true || tool_result_is_error === true,
    subAgents: references
      .map((reference) => reference.get('trajectory_id').optionalString())
      .filter((id) => id !== undefined && subAgents.has(id)) as string[],
  }
}

function partsOf(content: Field, unknown: [string, unknown][]): Part[] {
  if (typeof content.value === 'string') return content.value === '' ? [] : [{ type: 'text', text: content.value }]
  if (!Array.isArray(content.value)) content.fail(`${kindOf(content.value)} instead of a text or a list of parts`)
  return content.list().flatMap((part): Part[] => {
    const type = part.get('type').string()
    if (type === 'text') {
      unknown.push(...part.others(['type', 'text', 'source']))
      return [{ type, text: part.get('text').string() }]
    }
    if (type !== 'image' && type !== 'audio') {
      unknown.push([part.path, part.value])
      return []
    }
    const source = part.get('source')
    unknown.push(...part.others(['type', 'text', 'source']), ...source.others(['media_type', 'path']))
    return [{ type, mediaType: source.get('media_type').string(), path: source.get('path').string() }]
  })
}

const METRICS_KEYS = [
  'prompt_tokens',
  'completion_tokens',
  'cached_tokens',
  'cost_usd',
  'prompt_token_ids',
  'completion_token_ids',
  'logprobs',
  'extra',
]

/** The format counts all input in one number; what was written to a cache and how much was reasoning is in `extra`. */
function usageOf(metrics: Field): TokenUsage {
  const { prompt_tokens, completion_tokens, cached_tokens } = metrics.object()
  const extra = metrics.get('extra').optionalObject() ?? {}
  const count = (...names: readonly unknown[]): number => names.map(asCount).find((one) => one !== undefined) ?? 0
  const cache_read = count(cached_tokens)
  const cache_write = count(extra.cache_creation_input_tokens, extra.cache_write_tokens)
  return {
    input: Math.max(0, count(prompt_tokens) - cache_read - cache_write),
    output: count(completion_tokens),
    cache_read,
    cache_write,
    reasoning: count(extra.reasoning_tokens, extra.reasoning_output_tokens),
  }
}

/** What the format defines and events have no field for. */
function moreOf(step: Field, calls: readonly Field[], results: readonly Field[], isCopied: boolean): Json {
  const { prompt_tokens, completion_tokens, cached_tokens, ...metrics } = step.get('metrics').optionalObject() ?? {}
  const counted = isCopied ? present({ prompt_tokens, completion_tokens, cached_tokens }) : {}
  const extras = (fields: readonly Field[], name: string): Json =>
    Object.fromEntries(
      fields.flatMap((field, index) => (field.get(name).isAbsent ? [] : [[index, field.get(name).value]])),
    )
  return present({
    reasoning_effort: step.get('reasoning_effort').value,
    llm_call_count: step.get('llm_call_count').value,
    is_copied_context: step.get('is_copied_context').value,
    extra: step.get('extra').optionalObject(),
    metrics: present({ ...counted, ...metrics }),
    tool_call_extra: extras(calls, 'extra'),
    result_extra: extras(results, 'extra'),
    subagent_trajectory_ref: extras(results, 'subagent_trajectory_ref'),
  })
}

/** Without what is missing, null or empty. */
function present(object: Json): Json {
  return Object.fromEntries(
    Object.entries(object).filter(([, value]) => {
      const fields = asObject(value)
      return value !== undefined && value !== null && !(fields && Object.keys(fields).length === 0)
    }),
  )
}

function kindOf(value: unknown): string {
  if (value === undefined) return 'missing'
  if (value === null) return 'null'
  return Array.isArray(value) ? 'a list' : `${typeof value === 'object' ? 'an' : 'a'} ${typeof value}`
}

/** A value of the document and where it is; null means the same as missing. */
class Field {
  readonly value: unknown
  readonly path: string

  constructor(value: unknown, path: string) {
    this.value = value
    this.path = path
  }

  get isAbsent(): boolean {
    return this.value === undefined || this.value === null
  }

  get(name: string): Field {
    return new Field(asObject(this.value)?.[name], this.path === '' ? name : `${this.path}.${name}`)
  }

  object(): Json {
    return asObject(this.value) ?? this.#mustBe('an object')
  }

  optionalObject(): Json | undefined {
    return this.isAbsent ? undefined : this.object()
  }

  string(): string {
    return typeof this.value === 'string' ? this.value : this.#mustBe('a string')
  }

  optionalString(): string | undefined {
    return this.isAbsent ? undefined : this.string()
  }

  list(): Field[] {
    if (!Array.isArray(this.value)) this.#mustBe('a list')
    return (this.value as unknown[]).map((value, index) => new Field(value, `${this.path}[${index}]`))
  }

  optionalList(): Field[] {
    return this.isAbsent ? [] : this.list()
  }

  /** The fields that the format does not define, with their paths. */
  others(known: readonly string[]): [string, unknown][] {
    return Object.entries(asObject(this.value) ?? {})
      .filter(([name]) => !known.includes(name))
      .map(([name, value]) => [this.get(name).path, value])
  }

  #mustBe(what: string): never {
    const kind = kindOf(this.value)
    return this.fail(kind === 'missing' ? `missing, and must be ${what}` : `${kind} instead of ${what}`)
  }

  fail(why: string): never {
    throw new Error(this.path === '' ? why : `${this.path}: ${why}`)
  }
}
