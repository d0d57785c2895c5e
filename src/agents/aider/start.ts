import { existsSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { settingsText } from '../../native/settings.ts'
import type { Io } from '../../platform/io.ts'
import { projectOf } from '../../platform/project.ts'
import { agentFolder, isTaskFolderOf, taskFolders } from '../../platform/task-folders.ts'
import { refuseCommand } from '../_shared/prompt-command.ts'
import type { AgentCommand, Dialog, DialogScreen, Preparation, Refusal, Start, StartRequest } from '../start.ts'
import { AGENT, NOTE_FILE, TASK_FILE } from './paths.ts'
import { readAnswer, readInput, readQuestion } from './screen.ts'

export const start: Start = {
  // Its files and flags are known from 0.86 only.
  oldest: '0.86.0',
  newest: '0.86.2',
  sessionId: 'assigned',
  interrupt: '\x03',
  // A message makes it exit after the turn; it cannot be given one and stay open.
  endsAfterPrompt: true,
  commandLine: {
    prompt: ['--message', '--msg', '-m'],
    promptFile: ['--message-file', '-f'],
    switches: ['--restore-chat-history'],
  },
  cold,
  warm,
  preflight,
  dialogs,
  readInput,
  readQuestion,
  readAnswer,
  hidesInputWhileWorking: true,
  screens: [
    dialog('git', 'No git repo found, create one', 'asks whether to make a git repository here'),
    dialog('gitignore', 'Add \\.\\S.* to \\.gitignore \\(recommended\\)\\?', 'asks to change .gitignore'),
    dialog('analytics', 'Allow collection of anonymous analytics', 'asks whether it may report its use'),
    dialog('news', "Would you like to see what's new", 'asks whether to show what is new'),
    dialog('update', 'Run pip install\\?', 'asks whether to update'),
    dialog('login', 'Login to OpenRouter or create a free account\\?', 'asks you to log in'),
    dialog('model', 'Open documentation url for more info\\?', 'warns about the model'),
  ],
  prepare: { gitignore },
}

/** At the end of the screen: what was answered stays visible above. */
function dialog(id: string, question: string, asks: string): DialogScreen {
  return { id, pattern: new RegExp(`${question}[^[]{0,90}\\[\\w+\\]:\\s*$`), asks }
}

/**
 * Without a terminal it treats the closed stdin as a yes to every question, "Run shell command?" included. So each is
 * answered with no in advance. The user's own arguments follow and win.
 */
const NO = [
  '--no-gitignore',
  '--no-check-update',
  '--no-show-release-notes',
  '--no-show-model-warnings',
  '--no-analytics',
  '--no-detect-urls',
  '--no-suggest-shell-commands',
]

function cold(request: StartRequest): AgentCommand {
  const folder = join(request.folder, request.session)
  const note = { path: join(folder, NOTE_FILE), content: `${JSON.stringify({ cwd: request.cwd })}\n` }
  const notes =
    request.prompt && !request.headless ? ['Aider exits after the task that it is given; Ion then reopens it'] : []
  return { ...command(join(folder, TASK_FILE), [], request), files: [note], notes }
}

/** The history is restored from the file; without a message nothing is sent. */
function warm(request: StartRequest): AgentCommand {
  const file = historyOf(request)
  return { ...command(file, ['--restore-chat-history'], request), ...notesOf(file) }
}

function command(
  file: string,
  restore: readonly string[],
  { prompt, headless, args, cwd }: StartRequest,
): AgentCommand {
  const files = ['--chat-history-file', file, '--input-history-file', join(dirname(file), inputName(file))]
  // A prompt of several lines given as an argument is stored twice, once as if it were an answer.
  const message = prompt ? ['--message-file', prompt.file] : []
  const no = headless ? [...NO, '--no-pretty', ...(hasRepository(cwd) ? [] : ['--no-git'])] : []
  return {
    args: [...files, ...restore, ...message, ...no, ...args],
    // These would be sent at every start.
    env: { AIDER_MESSAGE: undefined, AIDER_MESSAGE_FILE: undefined, AIDER_LOAD: undefined },
    ...(headless ? { output: 'talk' } : {}),
  }
}

/** A session started by Ion is a UUID, and its folder is in a task; any other is `<file>#<start>`. */
function historyOf({ session, folder, io }: StartRequest): string {
  const mark = session.lastIndexOf('#')
  if (mark > 0) return session.slice(0, mark)
  const here = join(folder, session, TASK_FILE)
  return existsSync(here) ? here : (inOtherTask(session, io) ?? here)
}

/** A session that one task started may be resumed by another. */
function inOtherTask(session: string, io: Io): string | undefined {
  for (const folder of taskFolders(io)) {
    if (!isTaskFolderOf(AGENT, basename(folder))) continue
    const file = join(agentFolder(folder), session, TASK_FILE)
    if (existsSync(file)) return file
  }
  return undefined
}

/** Beside its own history, aider's own name for it. */
function inputName(file: string): string {
  return file.endsWith(`/${TASK_FILE}`) ? 'input' : '.aider.input.history'
}

/** Its limit is 1024 to 8192 tokens, depending on the model. */
const CERTAINLY_SHORT = 4 * 1024

function notesOf(file: string): { notes?: string[] } {
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0
  if (size <= CERTAINLY_SHORT) return {}
  return {
    notes: ['long history: Aider may first let its weak model summarise it (limit: -- --max-chat-history-tokens N)'],
  }
}

const SENDING = /^(?:-m|-f|--message|--msg|--message-file|--load)(?:=|$)/
const FILES = /^--(?:chat|input)-history-file(?:=|$)/

/** Variables in which it looks for a key when no model is given. */
const KEYS = [
  'OPENROUTER_API_KEY',
  'ANTHROPIC_API_KEY',
  'DEEPSEEK_API_KEY',
  'OPENAI_API_KEY',
  'GEMINI_API_KEY',
  'VERTEXAI_PROJECT',
]

function preflight(_kind: 'cold' | 'warm', request: StartRequest): Refusal | undefined {
  // Also a path. With a blank in front it is text.
  const command = refuseCommand('Aider', request.prompt, /^([/!])/)
  if (command) return command
  const sending = request.args.find((word) => SENDING.test(word))
  if (sending) return { why: `Aider would send ${sending} at every start`, hint: 'pass the prompt to ion run instead' }
  const named = request.args.find((word) => FILES.test(word))
  if (named) return { why: `Ion gives each task of Aider its own ${named}`, hint: 'leave it out' }
  // In a terminal it asks; without one it opens a browser and waits for the login.
  if (!request.headless || hasModel(request)) return undefined
  return {
    why: 'Aider has neither a model nor a key',
    hint: `set one of ${KEYS.slice(0, -1).join(', ')}, or give a model: -- --model …`,
  }
}

/** Whether a model or a key may be configured. Settings files may hold keys, so only their existence is checked. */
function hasModel({ io, cwd, args }: Pick<StartRequest, 'io' | 'cwd' | 'args'>): boolean {
  const { env, home } = io
  if ([...KEYS, 'AIDER_MODEL', 'AIDER_CONFIG', 'AIDER_ENV_FILE'].some((name) => env[name])) return true
  if (args.some((word) => /^--(?:model|api-key|\w+-api-key|config|env-file|alias)(?:=|$)|^-c$/.test(word))) return true
  const folders = [cwd, projectOf(cwd), home]
  const files = folders.flatMap((folder) => [join(folder, '.aider.conf.yml'), join(folder, '.env')])
  return [...files, join(home, '.aider', 'oauth-keys.env')].some((file) => existsSync(file))
}

function hasRepository(cwd: string): boolean {
  return existsSync(join(projectOf(cwd), '.git'))
}

/** Settings could suppress these, but they may hold keys and are not read. */
function dialogs({ cwd, io, args }: Pick<StartRequest, 'cwd' | 'io' | 'args'>): Dialog[] {
  const mayAsk = (flag: string, name: string): boolean =>
    !args.includes(flag) && io.env[name]?.toLowerCase() !== 'false'
  const certain = ![cwd, projectOf(cwd), io.home].some((folder) => existsSync(join(folder, '.aider.conf.yml')))
  const found: Dialog[] = []
  const isYes = args.includes('--yes-always') || io.env.AIDER_YES_ALWAYS?.toLowerCase() === 'true'
  if (!isYes && mayAsk('--no-git', 'AIDER_GIT')) {
    if (!hasRepository(cwd)) {
      if (cwd !== io.home) found.push({ id: 'git', asks: 'asks whether to make a git repository here', certain })
    } else if (
      mayAsk('--no-gitignore', 'AIDER_GITIGNORE') &&
      !isIgnored(settingsText(join(projectOf(cwd), '.gitignore')))
    ) {
      // Git's other ignore files may list it.
      found.push({ id: 'gitignore', asks: 'asks to add .aider* to .gitignore', certain: false })
    }
  }
  if (!hasModel({ io, cwd, args })) found.push({ id: 'login', asks: 'asks you to log in, having no key', certain })
  return found
}

function gitignore({ cwd }: Pick<StartRequest, 'cwd' | 'io'>): Preparation {
  const file = join(projectOf(cwd), '.gitignore')
  const text = settingsText(file)
  const before = text === '' || text.endsWith('\n') ? text : `${text}\n`
  return { file, content: isIgnored(text) ? text : `${before}.aider*\n`, sets: '.aider*' }
}

function isIgnored(gitignore: string): boolean {
  return /^\.aider\*?\s*$/m.test(gitignore)
}
