import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { SessionRow } from '../../src/catalog/session-row.ts'
import type { IonEvent } from '../../src/events/event.ts'
import type { LedgerEntry } from '../../src/run/ledger.ts'
import { type Model, startModel } from '../model/server.ts'
import type { Checks } from './checks.ts'
import type { Pin } from './pins.ts'
import { familyOf, killAll, type Process, processesWith } from './processes.ts'
import { bytesAt } from './stored.ts'
import { Terminal } from './terminal.ts'
import { until } from './until.ts'
import { loadWorld, type World } from './world.ts'

/** The installed build that is proven. */
export interface Subject extends Pick<Pin, 'tools' | 'tokens' | 'service' | 'stories'> {
  /** The build's name. */
  name: string
  /** The agent's id. */
  agent: string
  version: string
  program: string
  /** Somebody gave the program; it is from no registry. */
  given?: true
  /** The program, where it could be installed. */
  agentapi?: string
  /** The program of an S3 server, where it is installed. */
  s3Server?: string
}

/** What a run of Ion printed. */
export interface Output {
  code: number | null
  out: string
  err: string
}

export interface Storage {
  paths: string[]
  bytes: number
}

interface ScenePlace {
  root: string
  subject: Subject
  ion: string
  /** A folder that is searched for programs first. */
  path?: string
  /** Name of the project's folder. */
  folder?: string
  /** Whose scenarios fail when the model refuses a request. */
  checks: Checks
  /** Also keep each request to the model as it came. */
  keepRequests?: boolean
}

interface SceneParts {
  root: string
  subject: Subject
  ion: string
  project: string
  model: Model
  world: World
  env: Record<string, string>
  requests?: string | undefined
}

/** One agent on a machine of its own, with the stub model and Ion. Everything is in `root`. */
export class Scene {
  readonly root: string
  readonly subject: Subject
  /** Ion's program. */
  readonly program: string
  project: string
  readonly model: Model
  readonly world: World
  readonly env: Record<string, string>
  /** The folder with each request to the model, as `<number in the log>.json`. */
  readonly requests: string | undefined
  readonly terminals: Terminal[] = []
  storage: Storage | undefined

  static async make(place: ScenePlace): Promise<Scene> {
    const { root, subject, ion, path, folder = 'shop', checks, keepRequests } = place
    const project = join(root, folder)
    mkdirSync(project, { recursive: true })
    writeFileSync(join(project, 'README.md'), '# shop\n')
    execFileSync('git', ['init', '-q', project], { env: { PATH: process.env.PATH, HOME: root } })
    const requests = keepRequests ? join(root, 'requests') : undefined
    if (requests) mkdirSync(requests)
    const logFile = join(root, 'requests.jsonl')
    const model = await startModel(requests ? { logFile, rawFolder: requests } : { logFile })
    checks.watch(model.log)
    const { default: makeAgentWorld } = await loadWorld(subject.agent)
    const world = makeAgentWorld({ root, modelUrl: `${model.url}/w-proof`, program: subject.program, project })
    const env = { ...world.env, ION_HOME: join(root, 'ion'), ...(path ? { PATH: `${path}:${world.env.PATH}` } : {}) }
    return new Scene({ root, subject, ion, project, model, world, env, requests })
  }

  constructor({ root, subject, ion, project, model, world, env, requests }: SceneParts) {
    this.root = root
    this.subject = subject
    this.program = ion
    this.project = project
    this.model = model
    this.world = world
    this.env = env
    this.requests = requests
  }

  /** Renames the project's folder. */
  renameProject(to: string): void {
    renameSync(this.project, to)
    this.project = to
  }

  /** `ion run <agent> …`, with the arguments that let tools run. */
  runArgs(args: readonly string[], mode: 'headless' | 'terminal' = 'headless'): string[] {
    const own = this.world.args[mode]
    return ['run', this.subject.agent, ...args, ...(own.length ? ['--', ...own] : [])]
  }

  ion(
    args: readonly string[],
    { cwd = this.project, ms = 120_000, onStart }: { cwd?: string; ms?: number; onStart?: (pid: number) => void } = {},
  ): Promise<Output> {
    const child = spawn(process.execPath, [this.program, ...args], {
      cwd,
      env: this.env,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    if (child.pid !== undefined) onStart?.(child.pid)
    let out = ''
    let err = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text))
    child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text))
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        err += `\n(killed after ${ms / 1000} s)`
        killAll(familyOf(child.pid ?? 0))
      }, ms)
      child.on('exit', (code) => {
        clearTimeout(timer)
        // A tool that outlives the agent may hold the pipe open; what was printed has arrived by then.
        setTimeout(() => resolve({ code, out, err }), 100)
      })
    })
  }

  /** Ion in a terminal. */
  terminal(args: readonly string[]): Terminal {
    const terminal = new Terminal([process.execPath, this.program, ...args], { cwd: this.project, env: this.env })
    this.terminals.push(terminal)
    return terminal
  }

  /** All sessions of the agent. */
  async sessions(): Promise<SessionRow[]> {
    return jsonLines(await this.ion(['sessions', '--all', '--json', '--limit', '0', '--agent', this.subject.agent]))
  }

  async events(id: string): Promise<IonEvent[]> {
    return jsonLines(await this.ion(['show', id, '--json']))
  }

  /** How much the session takes where the agent keeps its sessions, without its settings and caches. */
  async measureStorage(): Promise<void> {
    const agents = jsonLines<{ id: string; data: { path: string }[] }>(await this.ion(['agents', '--json']))
    const paths = agents.find(({ id }) => id === this.subject.agent)?.data.map(({ path }) => path) ?? []
    // Where an agent keeps nothing of its own, Ion gives each task a folder.
    const ownFolders = (await this.sessions())
      .map(({ path }) => dirname(path))
      .filter((folder) => !paths.some((path) => folder.startsWith(path)) && folder.startsWith(this.env.ION_HOME ?? ''))
    const named = paths.map((path) => path.replace(this.world.home, '~').replace(this.project, '<project>'))
    this.storage = {
      paths: ownFolders.length ? [...named, '$ION_HOME/tasks'] : named,
      bytes: [...paths, ...new Set(ownFolders)].reduce((sum, path) => sum + bytesAt(path), 0),
    }
  }

  /** Ion's folder of the agent's main task. */
  taskFolder(): string {
    const root = join(this.root, 'ion', 'tasks')
    const [project = ''] = readdirSync(root)
    return join(root, project, `${this.subject.agent}-main`)
  }

  /** The entries of the main task's ledger. */
  ledger(): LedgerEntry[] {
    try {
      return parseLines(readFileSync(join(this.taskFolder(), 'ledger.jsonl'), 'utf8'))
    } catch {
      return []
    }
  }

  /** The agent's process of the last run, and all its descendants. */
  agentProcesses(): Process[] {
    const launched = this.ledger().findLast((entry) => entry.type === 'launched')
    return launched ? familyOf(launched.process.pid) : []
  }

  /** Ends everything; returns the commands that had to be killed. */
  async close(): Promise<string[]> {
    for (const terminal of this.terminals) await terminal.end()
    const own = (): Process[] => processesWith(`HOME=${this.world.home}\0`)
    // Some take a moment to exit.
    await until('its processes to end', 3000, () => own().length === 0).catch(() => {})
    const left = own()
    killAll(left)
    await this.model.close()
    return left.map(({ command }) => command)
  }

  remove(): void {
    rmSync(this.root, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 })
  }
}

function jsonLines<T>({ code, out, err }: Output): T[] {
  if (code !== 0) throw new Error(`exit ${code}: ${err}`)
  return parseLines(out)
}

function parseLines<T>(text: string): T[] {
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as T)
}
