import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import pty from '@lydell/node-pty'
import { expect } from 'vitest'
import type { Agent } from '../../src/agents/agent.ts'
import { replaceFile } from '../../src/platform/atomic-file.ts'
import type { Step } from '../fake-agent/steps.ts'
import { builtFolder } from '../support/built.ts'
import { until } from '../support/wait-until.ts'
import { installFake, ioOf, ledgerOf, logins, promptsOf } from './fake-agent.ts'
import { type Machine, machine, runIon } from './run-ion.ts'

const DEADLINE_MS = 30_000

export type Whom = 'agent' | 'ion' | 'both'

export interface Kill {
  readonly at: Step
  readonly whom: Whom
}

/** A machine on which an agent is started and killed, in a folder of its own for each cell of the matrix. */
export interface Arena {
  readonly where: Machine
  readonly agent: Agent
  readonly path: string
}

export function arena(agent: Agent): Arena {
  const where = machine()
  return { where, agent, path: installFake(where, [agent]) }
}

/** One folder with one task. */
export interface Cell {
  readonly arena: Arena
  readonly name: string
  readonly cwd: string
}

export function cell(where: Arena, name: string): Cell {
  const cwd = join(where.where.home, name)
  mkdirSync(cwd)
  // As `ion run --prepare trust` does; some do not start in a folder that was never trusted.
  const trust = where.agent.start?.prepare?.trust?.({ cwd, io: ioOf(where.where, cwd) })
  if (trust) replaceFile(trust.file, trust.content)
  return { arena: where, name, cwd }
}

export interface Ended {
  readonly code: number | null
  readonly err: string
}

type Env = Readonly<Record<string, string>>

/** `ion run` without a terminal; returns once the agent has ended, too, whichever was killed. */
export async function start(
  { arena: { where, agent, path }, cwd, name }: Cell,
  words: string[],
  env: Env = {},
): Promise<Ended> {
  const { code, err } = await runIon(where, ['run', agent.id, '--headless', ...words], {
    cwd,
    env: { PATH: path, ...logins, ION_TEST_CELL: name, ...env },
  })
  await allEnded(where, name)
  return { code, err }
}

/** The end of the first screen: `> `, or a box in which the cursor is moved back to its place. */
const PROMPTS = /\(fake\), session [^\n]*\n(?:> |[\s\S]*\x1b(?:\[\d+A\r\x1b\[\d*[Cm]|8))$/

/** `ion run` in a terminal, where the user quits as soon as the agent waits for input. */
export async function startInTerminal(
  { arena: { where, agent, path }, cwd, name }: Cell,
  words: string[],
  env: Env = {},
): Promise<Ended> {
  const argv = [join(builtFolder(), 'ion.cjs'), 'run', agent.id, ...words]
  const terminal = pty.spawn(process.execPath, argv, {
    cwd,
    cols: 120,
    rows: 30,
    env: {
      PATH: path,
      ...logins,
      HOME: where.home,
      ION_HOME: where.ionHome,
      TMPDIR: where.root,
      ION_TEST_CELL: name,
      ...env,
    },
  })
  let screen = ''
  terminal.onData((data) => {
    screen += data
    // Once for each agent that prompts; the echo of what was typed is not a prompt.
    if (PROMPTS.test(screen)) terminal.write('/quit\r')
  })
  const deadline = setTimeout(() => terminal.kill('SIGKILL'), DEADLINE_MS)
  const code = await new Promise<number | null>((resolve) => {
    terminal.onExit(({ exitCode, signal }) => resolve(signal ? null : exitCode))
  })
  clearTimeout(deadline)
  await allEnded(where, name)
  return { code, err: screen }
}

/** The variables that make the fake agent kill at a step, once. */
export function killing({ at, whom }: Kill, { arena: { where }, name }: Cell, nth = 0): Env {
  return {
    ION_FAKE_DIE_AT: at,
    ION_FAKE_KILL: whom,
    ION_FAKE_DIED: join(where.root, `died-${name}-${nth}`),
  }
}

export function hasKilled({ arena: { where }, name }: Cell, nth = 0): boolean {
  return existsSync(join(where.root, `died-${name}-${nth}`))
}

/** The result of a cell: how often its prompt was stored in all sessions, and in which session the ledger has it. */
export interface Outcome {
  readonly stored: number
  readonly pinned: 'the session with the prompt' | 'another' | 'none'
  readonly ended: string
}

/** The required result. An interrupted turn is reported; continuing it is the user's choice. */
export const good: Outcome = {
  stored: 1,
  pinned: 'the session with the prompt',
  ended: expect.stringMatching(/^(answered|interrupted)$/) as string,
}

/** Reads sessions and ledgers with Ion's own code, once for all cells: their prompts differ. */
export function outcomes(
  where: Arena,
  ends: ReadonlyMap<Cell, Ended>,
  promptOf: (of: Cell) => string,
): Record<string, Outcome> {
  const said = Object.entries(promptsOf(where.where, where.agent))
  const found: Record<string, Outcome> = {}
  for (const [of, { code, err }] of ends) {
    const prompt = promptOf(of)
    const ledger = ledgerOf(where.where, where.agent, 'main', of.cwd)
    const pinned = ledger.findLast((entry) => entry.type === 'session')?.native_id
    const home = said.find(([, prompts]) => prompts.includes(prompt))?.[0]
    found[of.name] = {
      stored: said.flatMap(([, prompts]) => prompts).filter((text) => text === prompt).length,
      pinned: pinned === undefined ? 'none' : pinned === home ? 'the session with the prompt' : 'another',
      ended: code === 0 ? 'answered' : code === 1 && /was interrupted/.test(err) ? 'interrupted' : `${code}: ${err}`,
    }
  }
  return found
}

/** Several at once, since most of the time is spent waiting for other processes. */
export async function inParallel<T>(all: Iterable<T>, body: (one: T) => Promise<void>): Promise<void> {
  const rest = all[Symbol.iterator]()
  const worker = async (): Promise<void> => {
    for (let one = rest.next(); !one.done; one = rest.next()) await body(one.value)
  }
  await Promise.all([worker(), worker(), worker()])
}

/** Every process of a cell has its name in the environment. One that does not end is a failure, and is killed. */
async function allEnded({ home }: Machine, name: string): Promise<void> {
  try {
    await until(() => expect(livingOf(home, name)).toEqual([]))
  } catch (error) {
    for (const pid of livingOf(home, name)) process.kill(Number(pid), 'SIGKILL')
    throw error
  }
}

function livingOf(home: string, name: string): string[] {
  return readdirSync('/proc').filter((pid) => {
    if (!/^\d+$/.test(pid)) return false
    try {
      const environment = `\0${readFileSync(`/proc/${pid}/environ`, 'latin1')}`
      return environment.includes(`\0ION_TEST_CELL=${name}\0`) && environment.includes(`\0HOME=${home}\0`)
    } catch {
      return false
    }
  })
}
