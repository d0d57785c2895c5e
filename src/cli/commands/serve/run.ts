import { fstatSync } from 'node:fs'
import { taskLabel } from '../../../host/find.ts'
import { type ExitKind, IonError } from '../../../platform/error.ts'
import type { Io } from '../../../platform/io.ts'
import type { RunRequest } from '../../../run/request.ts'
import { DEFAULT_TASK, realFolder, taskOf } from '../../../run/task.ts'
import { type ServerEntry, serverOf } from '../../../server/registry.ts'
import type { Context, Options } from '../../command.ts'
import { shellLine } from '../../shell-line.ts'
import { version } from '../../version.ts'
import { ensureRunning } from '../run/detach.ts'
import { promptInput } from '../run/prompt-input.ts'
import { resolveAgent, type Who } from './resolve-agent.ts'
import { type ServeSettings, serveSettings } from './settings.ts'

export async function run(
  args: readonly unknown[],
  options: Options,
  context: Context,
  rest: readonly string[] | undefined,
): Promise<ExitKind | number> {
  const { io, out, err } = context
  if (options.printOpenapi === true || io.env.AGENTAPI_PRINT_OPENAPI === 'true') {
    const { openapi } = await import('../../../server/openapi.ts')
    out.write(`${JSON.stringify(openapi(version, 'openapi-3.0'), null, 2)}\n`)
    return 'ok'
  }
  const [name, words = []] = args as [string?, (readonly string[])?]
  const settings = serveSettings(options, io)
  const who = resolveAgent(name, settings.type, rest)
  const request = requestOf(who, words, settings, options, io)
  const word = taskLabel(request.task)
  const other = serverOf(request.task.folder, io)
  if (other && options.detach !== true) throw alreadyServed(word, other)
  if (settings.type !== undefined && !who.asAgentapi) err.write('ion: --type is not needed: Ion knows its agents\n')
  if (!settings.needsToken) err.write('ion: without a token every program and page on this machine can use the agent\n')
  const running = await ensureRunning(request, context, settings.size)
  if (running.how === 'ended') return running.code
  const order = {
    agent: who.agent.id,
    task: request.task,
    settings,
    prompt: request.prompt ?? '',
    ownsAgent: running.how === 'started',
  }
  if (options.detach === true) {
    if (other) return sayServed(`already serving ${word}`, other.url, context)
    const { serveInBackground } = await import('./background.ts')
    return serveInBackground(order, word, context)
  }
  const { serveHere } = await import('./foreground.ts')
  return serveHere(order, word, context)
}

function requestOf(who: Who, words: readonly string[], settings: ServeSettings, options: Options, io: Io): RunRequest {
  const { agent, args, asAgentapi } = who
  const cwd = realFolder(io.cwd)
  const given = [...(settings.initialPrompt === undefined ? [] : [settings.initialPrompt]), ...words]
  if (settings.initialPrompt !== undefined && words.length > 0) {
    throw new IonError('usage', 'the prompt is given twice', { hint: 'give words or --initial-prompt, one of them' })
  }
  const isPiped = given.length === 0 && options.promptFile === undefined && asAgentapi && hasPipedInput()
  const prompt = promptInput(isPiped ? ['-'] : given, options.promptFile as string | undefined, false)
  const taskName = typeof options.task === 'string' ? options.task : DEFAULT_TASK
  const command = ['ion', 'run', agent.id, ...(taskName === DEFAULT_TASK ? [] : ['--task', taskName])]
  return {
    agent,
    command: shellLine(command),
    cwd,
    mode: 'detached',
    prompt: prompt.text,
    send: options.send === true,
    isNew: options.new === true,
    restore: options.restore === true,
    steal: false,
    task: taskOf(agent.id, cwd, taskName, io),
    args,
    adopt: undefined,
    agentapi: undefined,
  }
}

/** As agentapi does: what is piped in is the prompt. Only a pipe of a shell or a file: others may never end. */
function hasPipedInput(): boolean {
  if (process.stdin.isTTY) return false
  try {
    const stat = fstatSync(0)
    return stat.isFIFO() || (stat.isFile() && stat.size > 0)
  } catch {
    return false
  }
}

function alreadyServed(word: string, { url, pid }: ServerEntry): IonError {
  return new IonError('refused', `${word} is served already, at ${url} (pid ${pid})`, {
    hint: `open that, or ion stop ${word}`,
  })
}

export function sayServed(what: string, url: string, { out }: Context): ExitKind {
  out.write(`${what}: ${url}\n`)
  return 'ok'
}
