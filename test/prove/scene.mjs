import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { startModel } from '../model/server.mjs'
import { bytesAt } from './bytes-at.mjs'
import { familyOf, killAll, processesWith } from './processes.mjs'
import { Terminal } from './terminal.mjs'
import { until } from './wait-until.mjs'
import { worlds } from './worlds/index.mjs'

/**
 * @typedef {object} Subject  what is proven
 * @property {string} name  of the pin
 * @property {string} agent  as Ion calls it
 * @property {string} version
 * @property {string} program
 * @property {string} [agentapi]  the program, where it could be had
 * @property {false} [tools]  it has none
 * @property {false} [tokens]  it keeps no exact counts
 * @property {false} [service]  its turns need a service that is not here
 *
 * @typedef {{ code: number | null, out: string, err: string }} Said
 */

/** One agent on a machine of its own, with the stub model and Ion. Everything is in `root`. */
export class Scene {
  /** @param {{ root: string, subject: Subject, ion: string, path?: string, folder?: string }} place */
  static async make({ root, subject, ion, path, folder = 'shop' }) {
    const project = join(root, folder)
    mkdirSync(project, { recursive: true })
    writeFileSync(join(project, 'README.md'), '# shop\n')
    execFileSync('git', ['init', '-q', project], { env: { PATH: process.env.PATH, HOME: root } })
    const model = await startModel({ logFile: join(root, 'requests.jsonl') })
    const make = worlds[subject.name]
    if (!make) throw new Error(`no world for ${subject.name}`)
    const world = make({ root, modelUrl: `${model.url}/w-proof`, program: subject.program, project })
    const env = { ...world.env, ION_HOME: join(root, 'ion'), ...(path ? { PATH: `${path}:${world.env.PATH}` } : {}) }
    return new Scene({ root, subject, ion, project, model, world, env })
  }

  /** @param {{ root: string, subject: Subject, ion: string, project: string, model: any, world: any, env: any }} parts */
  constructor(parts) {
    this.root = parts.root
    this.subject = parts.subject
    this.program = parts.ion
    this.project = parts.project
    /** @type {import('../model/server.mjs').Model} */
    this.model = parts.model
    /** @type {import('./worlds/base.mjs').World} */
    this.world = parts.world
    /** @type {Record<string, string>} */
    this.env = parts.env
    /** @type {Terminal[]} */
    this.terminals = []
    /** @type {{ paths: string[], bytes: number } | undefined} */
    this.storage = undefined
  }

  /** `ion run <agent> …`, with the arguments that let tools run. @param {string[]} words @param {'headless' | 'terminal'} [way] */
  runWords(words, way = 'headless') {
    const args = this.world.args[way]
    return ['run', this.subject.agent, ...words, ...(args.length ? ['--', ...args] : [])]
  }

  /**
   * @param {string[]} args @param {{ cwd?: string, ms?: number, onStart?: (pid: number) => void }} [options]
   * @returns {Promise<Said>}
   */
  ion(args, { cwd = this.project, ms = 120_000, onStart } = {}) {
    const child = spawn(process.execPath, [this.program, ...args], {
      cwd,
      env: this.env,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    if (child.pid !== undefined) onStart?.(child.pid)
    let out = ''
    let err = ''
    child.stdout.setEncoding('utf8').on('data', (text) => (out += text))
    child.stderr.setEncoding('utf8').on('data', (text) => (err += text))
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        err += `\n(ended after ${ms / 1000} s)`
        killAll(familyOf(child.pid ?? 0))
      }, ms)
      child.on('exit', (code) => {
        clearTimeout(timer)
        // A tool that outlives the agent may hold the pipe; what was said is here by then.
        setTimeout(() => resolve({ code, out, err }), 100)
      })
    })
  }

  /** Ion in a terminal. @param {string[]} args */
  terminal(args) {
    const terminal = new Terminal([process.execPath, this.program, ...args], { cwd: this.project, env: this.env })
    this.terminals.push(terminal)
    return terminal
  }

  /** @returns {Promise<Record<string, any>[]>} all sessions of the agent, as `ion sessions --json` gives them */
  async sessions() {
    return jsonLines(await this.ion(['sessions', '--all', '--json', '--limit', '0', '--agent', this.subject.agent]))
  }

  /** @param {string} id @returns {Promise<Record<string, any>[]>} */
  async events(id) {
    return jsonLines(await this.ion(['show', id, '--json']))
  }

  /** What the session of the story takes where the agent keeps its sessions; nothing of its settings and caches elsewhere. */
  async measureStorage() {
    const [agent] = jsonLines(await this.ion(['agents', '--json'])).filter(({ id }) => id === this.subject.agent)
    const paths = /** @type {string[]} */ (agent?.data.map((/** @type {{ path: string }} */ { path }) => path) ?? [])
    // Some keep nothing apart by themselves: Ion gives each of their tasks a folder.
    const ownFolders = (await this.sessions())
      .map(({ path }) => dirname(path))
      .filter((folder) => !paths.some((path) => folder.startsWith(path)) && folder.startsWith(this.env.ION_HOME ?? ''))
    const named = paths.map((path) => path.replace(this.world.home, '~').replace(this.project, '<project>'))
    this.storage = {
      paths: ownFolders.length ? [...named, '$ION_HOME/tasks'] : named,
      bytes: [...paths, ...new Set(ownFolders)].reduce((sum, path) => sum + bytesAt(path), 0),
    }
  }

  /** The entries of a task's ledger. @param {string} [task] @returns {Record<string, any>[]} */
  ledger(task = 'main') {
    const root = join(this.root, 'ion', 'tasks')
    try {
      return readdirSync(root).flatMap((project) =>
        readFileSync(join(root, project, `${this.subject.agent}-${task}`, 'ledger.jsonl'), 'utf8')
          .split('\n')
          .filter(Boolean)
          .map((line) => JSON.parse(line)),
      )
    } catch {
      return []
    }
  }

  /** The agent's process of the last run, and all below it. */
  agentProcesses() {
    const pid = this.ledger().findLast((entry) => entry.type === 'launched')?.process.pid
    return pid === undefined ? [] : familyOf(pid)
  }

  /** Ends everything; returns what had to be ended though its time was over. */
  async close() {
    for (const terminal of this.terminals) await terminal.end()
    const mine = () => processesWith(`HOME=${this.world.home}\0`)
    // Some take a moment to go.
    await until('its processes to end', 3000, () => mine().length === 0).catch(() => {})
    const left = mine()
    killAll(left)
    await this.model.close()
    return left.map(({ command }) => command)
  }

  remove() {
    rmSync(this.root, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 })
  }
}

/** @param {Said} said */
function jsonLines({ code, out, err }) {
  if (code !== 0) throw new Error(`exit ${code}: ${err}`)
  return out
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))
}
