import { fstatSync } from 'node:fs'
import { delimiter, resolve } from 'node:path'
import { agentAndPrompt } from '../../../config/default-agent.ts'
import { exitOnInternalError } from '../../../host/background-process.ts'
import { endingSignal } from '../../../host/background-server.ts'
import { taskLabel } from '../../../host/label.ts'
import { ensureRunning } from '../../../host/start.ts'
import { type ExitKind, IonError } from '../../../platform/error.ts'
import type { Io } from '../../../platform/io.ts'
import { toJsonText } from '../../../platform/json-text.ts'
import { plain } from '../../../platform/plain-text.ts'
import { version } from '../../../platform/version.ts'
import { adoptNamed, type ServedAgent, servedAgent } from '../../../run/agentapi-command.ts'
import { exitCodeOf } from '../../../run/launch.ts'
import { followProject, locateTask, resolveDoubt } from '../../../run/locate-task.ts'
import type { RunRequest } from '../../../run/request.ts'
import { refuseFirstStart } from '../../../run/run-task.ts'
import { DEFAULT_TASK, realFolder, taskOf } from '../../../run/task.ts'
import { type ServerEntry, serverOf } from '../../../server/registry.ts'
import { startServer } from '../../../server/start.ts'
import { loadToken, type Token } from '../../../server/token.ts'
import type { Context, Run } from '../../command.ts'
import type { serve } from '../../definitions/running.ts'
import { shellLine } from '../../shell-line.ts'
import { printFailedStart } from '../run/detach.ts'
import { reporterOf } from '../run/execute.ts'
import { promptInput } from '../run/prompt-input.ts'
import { replicaSettings } from '../run/replica-settings.ts'
import { type ServeConfig, startServing, stopServing, tokenOf } from './serving.ts'
import { type ServeOptions, type ServeSettings, serveSettings } from './settings.ts'

export const run: Run<typeof serve> = async ([name, words], options, context, rest) => {
  const { io, out, err, config } = context
  if (options.printOpenapi || io.env.AGENTAPI_PRINT_OPENAPI === 'true') {
    const { openapi } = await import('../../../server/openapi.ts')
    out.write(`${toJsonText(openapi(version, 'openapi-3.0'), 2)}\n`)
    return 'ok'
  }
  const settings = serveSettings(options, io)
  const isAgentapi = name === undefined && (settings.type !== undefined || rest !== undefined)
  const chosen = isAgentapi ? undefined : await agentAndPrompt('serve', name, words, config)
  const resolved = servedAgent(chosen?.agent.id, settings.type, rest)
  setEnvironment(resolved, io)
  const wanted = requestOf(resolved, chosen?.words ?? words, settings, options, context)
  const reporter = reporterOf(wanted, context)
  const choice = { movedFrom: undefined, sameProject: false }
  const found = await resolveDoubt(await locateTask(wanted, choice, io), reporter)
  const located = adoptNamed(found, resolved, reporter, io)
  const label = taskLabel(located.task)
  const other = serverOf(located.task.folder, io)
  if (other && !options.detach) throw alreadyServed(label, other)
  if (settings.type !== undefined && !resolved.asAgentapi) err.write('ion: --type is not needed with an agent\n')
  if (!settings.needsToken) err.write('ion: without a token every program and page on this machine can use the agent\n')
  const request = other ? located : await followProject(located, io, reporter)
  const replica = replicaSettings(options, context)
  if (replica && !other) {
    const { startReplica } = await import('../run/replica.ts')
    await startReplica(request, replica, reporter.notice)
  }
  await refuseFirstStart(request, io)
  const started = await ensureRunning(replica ? { ...request, isReplicated: true } : request, {
    program: process.argv[1]!,
    size: settings.size,
    notice: reporter.notice,
  })
  if (started.how === 'ended') return printFailedStart(request, started, context)
  const served: ServeConfig = {
    agent: resolved.agent.id,
    task: request.task,
    cwd: request.cwd,
    settings,
    prompt: request.prompt ?? '',
    defaultArgs: request.defaultArgs,
    ownsAgent: started.how !== 'running',
  }
  if (!options.detach) {
    const exit = await serveHere(served, label, context)
    if (replica && served.ownsAgent) {
      const { finishReplica } = await import('../run/replica.ts')
      await finishReplica(request.task.folder, reporter.notice)
    }
    return exit
  }
  if (other) return printServed(label, other, served, context)
  const server = await startServer({ task: served.task, program: process.argv[1]!, config: served, io })
  if (!server.isNew) return printServed(label, server.server, served, context)
  printAddress(served, label, server, context)
  return 'ok'
}

function requestOf(
  { agent, args, asAgentapi, ...commandLine }: ServedAgent,
  words: readonly string[],
  settings: ServeSettings,
  options: ServeOptions,
  { io, config }: Context,
): RunRequest {
  const cwd = realFolder(io.cwd)
  const inCommand = commandLine.prompt || undefined
  const given = [words.join(' ') || undefined, settings.initialPrompt, inCommand].filter((one) => one !== undefined)
  const files = [options.promptFile, commandLine.promptFile].filter((one) => one !== undefined)
  if (given.length + files.length > 1) {
    throw new IonError('usage', 'more than one prompt is given', {
      hint: "use only one of: a prompt argument, --initial-prompt, --prompt-file, a prompt in the agent's command line",
    })
  }
  const isPiped = given.length + files.length === 0 && asAgentapi && hasPipedInput()
  const prompt = promptInput(isPiped ? ['-'] : given, files[0], false)
  const taskName = options.task ?? DEFAULT_TASK
  const command = ['ion', 'run', agent.id, ...(taskName === DEFAULT_TASK ? [] : ['--task', taskName])]
  return {
    agent,
    command: shellLine(command),
    cwd,
    mode: 'detached',
    prompt: prompt.text,
    send: options.send,
    isNew: options.new,
    restore: options.restore,
    steal: false,
    onOtherPrompt: 'resume',
    task: taskOf(agent.id, cwd, taskName, io),
    args,
    defaultArgs: config.arguments.get(agent.id) ?? [],
    adopt: undefined,
    agentapi: undefined,
  }
}

/** As the command line sets it for its program. For this process, whose environment the background processes inherit. */
function setEnvironment({ folder, variables }: ServedAgent, io: Io): void {
  Object.assign(process.env, variables)
  if (folder !== undefined) process.env.PATH = [resolve(io.cwd, folder), process.env.PATH].join(delimiter)
}

/** Like agentapi, which takes its prompt from stdin. Only a pipe of a shell or a file: other streams may never end. */
function hasPipedInput(): boolean {
  if (process.stdin.isTTY) return false
  try {
    const stat = fstatSync(0)
    return stat.isFIFO() || (stat.isFile() && stat.size > 0)
  } catch {
    return false
  }
}

/** Serves in this process until a signal comes. */
async function serveHere(config: ServeConfig, label: string, context: Context): Promise<number> {
  const { io, out, err } = context
  const ending = endingSignal()
  const server = await startServing(config, io)
  exitOnInternalError((line) =>
    err.write(`ion: serve: ${plain(line)}\n  the agent keeps running; serve it again: ion serve ${label}\n`),
  )
  printAddress(config, label, server, context)
  const signal = await ending
  await stopServing(config, server, io)
  out.write(config.ownsAgent ? 'stopped, with its agent\n' : `stopped; the agent keeps running: ion attach ${label}\n`)
  return signal === 'SIGINT' || signal === 'SIGTERM' ? 0 : exitCodeOf({ code: null, signal })
}

/** The address includes the token; only `ion serve` prints it. */
function printAddress(
  config: ServeConfig,
  label: string,
  { port, url }: { readonly port: number; readonly url: string },
  { out, err }: Context,
): void {
  const { mayMove, port: wanted } = config.settings
  if (mayMove && port !== wanted) err.write(`ion: port ${wanted} is in use; serving ${label} on port ${port}\n`)
  out.write(`serving ${label}: ${withToken(url, tokenOf(config))}\n`)
}

function withToken(url: string, token: Token | undefined): string {
  return token ? `${url}?token=${token.token}` : url
}

function printServed(label: string, server: ServerEntry, config: ServeConfig, { out, err }: Context): ExitKind {
  const { url, token_file } = server
  out.write(`already serving ${label}: ${withToken(url, token_file ? loadToken(token_file) : undefined)}\n`)
  const wanted = tokenOf(config)?.file ?? null
  if (token_file !== undefined && token_file !== wanted) {
    const rule = token_file === null ? 'without a token' : `with the token in ${token_file}`
    const how = `to change that: ion stop ${label}, then this command again`
    err.write(`ion: that server was started ${plain(rule)}, and this command changes nothing; ${how}\n`)
  }
  return 'ok'
}

function alreadyServed(label: string, { url, pid }: ServerEntry): IonError {
  return new IonError('refused', `${label} is already being served at ${url} (pid ${pid})`, {
    hint: `open that, or ion stop ${label}`,
  })
}
