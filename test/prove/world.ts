import { mkdirSync, realpathSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { agentsWith } from '../../scripts/agent-folders.ts'
import type { Step } from '../model/script.ts'

/** Where a world is made. */
export interface Place {
  /** A scratch folder. */
  readonly root: string
  /** Where the home is made; in the scratch folder by default. */
  readonly home?: string
  /** The stub model's address, possibly with a path. */
  readonly modelUrl: string
  /** The agent, from the installer. */
  readonly program: string
  /** The folder that the agent works in. */
  readonly project: string
}

/**
 * The surroundings of one agent: a new home in which it runs against the stub model, trusts the project, and shows no
 * dialog, login, update or telemetry.
 */
export interface World {
  readonly home: string
  /** All of it; nothing is inherited. */
  readonly env: Readonly<Record<string, string>>
  /** The files that were written, as absolute paths. */
  readonly files: readonly string[]
  /** What a user adds after `--` so that tools run without asking. */
  readonly args: { readonly headless: readonly string[]; readonly terminal: readonly string[] }
  /** Arguments and variables with which it asks before it runs a command. */
  readonly asking: { readonly args: readonly string[]; readonly env: Readonly<Record<string, string>> }
  /** Arguments with which it answers and stores no session. */
  readonly withoutStoring?: readonly string[] | undefined
}

/** How `npm run record` runs an agent that Ion cannot start yet: the agent's arguments. */
export interface RecordedCommands {
  readonly run: (prompt: string) => readonly string[]
  /** Continues the session of the last run. */
  readonly resume: (prompt: string) => readonly string[]
  readonly terminal: readonly string[]
}

/**
 * One more screen for `npm run record-screens`, after those of every agent: a prompt with this answer of the model, then keys,
 * then another width.
 */
export interface ScreenStep extends Pick<Step, 'say' | 'call' | 'hang'> {
  /** Without one nothing is recorded. */
  readonly name?: string
  readonly keys?: readonly string[]
  readonly columns?: number
}

/** What an agent's test/world.ts exports. */
export interface WorldModule {
  readonly default: (place: Place) => World
  readonly commands?: RecordedCommands
  /** What only this agent shows. */
  readonly screens?: readonly ScreenStep[]
}

interface WorldParts {
  env?: Record<string, string>
  /** By their path in the home; an object is written as JSON. */
  files?: Record<string, string | object>
  args?: readonly string[]
  terminalArgs?: readonly string[]
  asking?: { readonly args?: readonly string[]; readonly env?: Readonly<Record<string, string>> }
  withoutStoring?: readonly string[]
}

export async function loadWorld(agent: string): Promise<WorldModule> {
  const found = agentsWith('test/world.ts').find(({ id }) => id === agent)
  if (!found) throw new Error(`src/agents/${agent}/test/world.ts does not exist`)
  return (await import(found.url.href)) as WorldModule
}

export function makeWorld(
  { root, home = join(root, 'home'), program }: Place,
  { env = {}, files = {}, args = [], terminalArgs = args, asking, withoutStoring }: WorldParts,
): World {
  const temporary = join(root, 'tmp')
  mkdirSync(home, { recursive: true, mode: 0o700 })
  mkdirSync(temporary, { recursive: true, mode: 0o700 })
  const all = { '.gitconfig': GIT_CONFIG, ...files }
  const written = Object.entries(all).map(([name, content]) => writeInHome(home, name, content))
  return {
    home,
    env: { ...bareEnv(home, temporary, program), ...env },
    files: written,
    args: { headless: args, terminal: terminalArgs },
    asking: { args: asking?.args ?? [], env: asking?.env ?? {} },
    withoutStoring,
  }
}

/** Agents compare folders by their real path. */
export function trustedFolder(project: string): string {
  return realpathSync(project)
}

/** A dummy that no service accepts. */
export const KEY = 'sk-test'

const GIT_CONFIG = '[user]\n\tname = Dev\n\temail = dev@example.com\n[init]\n\tdefaultBranch = main\n'

function bareEnv(home: string, temporary: string, program: string): Record<string, string> {
  return {
    PATH: [dirname(program), dirname(process.execPath), '/usr/local/bin', '/usr/bin', '/bin'].join(delimiter),
    HOME: home,
    XDG_CONFIG_HOME: join(home, '.config'),
    XDG_DATA_HOME: join(home, '.local', 'share'),
    XDG_STATE_HOME: join(home, '.local', 'state'),
    XDG_CACHE_HOME: join(home, '.cache'),
    TMPDIR: temporary,
    TERM: 'xterm-256color',
    COLORTERM: 'truecolor',
    LANG: 'C.UTF-8',
    SHELL: '/bin/sh',
    USER: 'dev',
  }
}

function writeInHome(home: string, name: string, content: string | object): string {
  const path = join(home, name)
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  writeFileSync(path, typeof content === 'string' ? content : `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 })
  return path
}
