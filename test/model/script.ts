// What the model answers: a script of steps, and without one a few rules by keywords in the prompt.
import type { Message } from './history.ts'
import { example, type JsonSchema, shellCall, type Tool } from './tools.ts'

/** One answer of the model. `call.shell` runs a command with whatever the agent's shell tool is called.

A step with `when` (a text, or a pattern written as /…/) is a rule: it answers every turn whose last typed prompt has
it, and once tool results follow that prompt, its `next`, the `next` of that, and so on. A step without `when` is used
once, in the order of the script. `world` keeps a step to the agents below that path. */
export interface Step {
  when?: string
  world?: string
  next?: Step
  think?: string
  say?: string
  call?: { name?: string; shell?: string; input?: Record<string, unknown> }
  fail?: number
  message?: string
  hang?: boolean
  after?: string
  /** Streamed piece by piece, with this pause after each; otherwise all at once. */
  everyMs?: number
}

export type Answer = {
  think?: string
  say?: string
  call?: { id?: string; name: string; input: unknown }
  fail?: number
  message?: string
  hang?: true
  everyMs?: number
}

export interface Request {
  model: string
  stream: boolean
  system: string
  messages: Message[]
  tools: Tool[]
  cwd?: string
  forcedTool?: string
  answerSchema?: JsonSchema
  silent?: boolean
  /** The client wants the model's reasoning sealed, to send it back. */
  sealReasoning?: true
}

/** An answer that takes some seconds to write, with what answers usually have. */
export const WRITTEN = `The first paragraph is about the cart of the shop, and it is long enough that a terminal has to wrap it to a second row, as most answers are.

A second paragraph has \`code\`, **weight** and a list:

- the first point
- the second point, which is also so long that it does not fit into a single row of the terminal it is shown in

\`\`\`ts
const total = prices.reduce((sum, price) => sum + price, 0)
return total
\`\`\`

The last paragraph ends it.`

/** An answer that is taller than a terminal. */
const LONG_WRITTEN = Array.from({ length: 60 }, (_, at) => `Paragraph ${at + 1} of the long answer.`).join('\n\n')

/**
 * The rules that apply when the script has no step. The slow tool does not begin with its sleep, which some agents refuse,
 * and is harmless enough that no agent asks for approval.
 */
const DEFAULT_RULES: Step[] = [
  { when: '/\\bTOOL\\b/', call: { shell: 'echo tool-ran' } },
  { when: '/\\bSLOWTOOL\\b/', call: { shell: 'echo started && sleep 30' } },
  { when: '/\\bHANG\\b/', hang: true, after: 'partial' },
  { when: '/\\bFAIL\\b/', fail: 400 },
  { when: '/\\bTHINK\\b/', think: 'thinking about it', say: 'thought it through' },
  { when: '/\\bWRITE\\b/', say: WRITTEN, everyMs: 200 },
  { when: '/\\bLENGTHY\\b/', say: LONG_WRITTEN, everyMs: 20 },
]

/** The answer to a turn. Used steps are removed from the script. */
export function answerTurn(
  script: Step[],
  request: Request,
  { prompt, world }: { prompt: string; world: string },
): Answer {
  const at = request.messages.findLastIndex((message) => message.role === 'user')
  const results = request.messages.slice(at + 1).filter((message) => message.role === 'tool')

  const used = script.find((step) => (!step.world || step.world === world) && (!step.when || says(prompt, step.when)))
  if (used && !used.when) script.splice(script.indexOf(used), 1)
  const rule = used ?? DEFAULT_RULES.find((step) => says(prompt, step.when ?? ''))
  if (!rule) return { say: `answer ${promptCount(request)} to: ${[...prompt].slice(0, 40).join('')}` }
  if (!rule.when) return answerOf(rule, request)

  let step = rule as Step | undefined
  for (let round = 0; step && round < results.length; round++) step = step.call ? step.next : step
  return answerOf(step ?? { say: `tool said: ${oneLine(results.at(-1))}` }, request)
}

/** Titles, summaries, classifiers: something harmless of the form that was asked for. */
export function answerExtra({ forcedTool, tools, answerSchema }: Request): Answer {
  const tool = tools.find(({ name }) => name === forcedTool)
  if (tool) return { call: { name: tool.name, input: example(tool.schema) } }
  if (answerSchema) return { say: JSON.stringify(example(answerSchema)) }
  return { say: 'Stub title' }
}

function answerOf(step: Step, request: Request): Answer {
  if (step.fail) return { fail: step.fail, message: step.message ?? `stub error ${step.fail}` }
  if (step.hang) return { ...(step.think ? { think: step.think } : {}), say: step.after ?? '', hang: true }
  const said = {
    ...(step.think ? { think: step.think } : {}),
    ...(step.say ? { say: step.say } : {}),
    ...(step.everyMs ? { everyMs: step.everyMs } : {}),
  }
  if (!step.call) return said
  const { name, shell, input = {} } = step.call
  if (shell === undefined) return { ...said, call: { name: name ?? '', input } }
  const call = shellCall(request.tools, shell, request.cwd)
  // An agent without tools may offer to run the commands of an answer.
  if (!call) return { say: `no shell tool was offered\n\n\`\`\`bash\n${shell}\n\`\`\`` }
  return { ...said, call: { name: call.name, input: { ...call.input, ...input } } }
}

function says(prompt: string, when: string) {
  const pattern = /^\/(.*)\/([a-z]*)$/s.exec(when)
  return pattern ? new RegExp(pattern[1] ?? '', pattern[2]).test(prompt) : prompt.includes(when)
}

function promptCount(request: Request) {
  return request.messages.filter((message) => message.role === 'user').length
}

function oneLine(message: Message | undefined) {
  const text = (message?.results ?? []).map((result) => result.text).join(' ')
  return text.replace(/\s+/g, ' ').trim().slice(0, 200)
}
