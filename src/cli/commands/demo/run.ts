import { spawn } from 'node:child_process'
import { basename, relative } from 'node:path'
import { agents } from '../../../agents/_registry.ts'
import { findAgent } from '../../../agents/find.ts'
import { shortIdsAmong } from '../../../catalog/short-id.ts'
import { IonError } from '../../../platform/error.ts'
import { pluralize } from '../../../platform/format-count.ts'
import type { Io } from '../../../platform/io.ts'
import { type Palette, palette } from '../../colour.ts'
import type { Context, Run } from '../../command.ts'
import type { demo } from '../../definitions/machine.ts'
import { shellLine } from '../../shell-line.ts'
import { fit as cutTo, wrap } from '../../text.ts'
import { columnsOf, type Output, runIon, runProcess } from './run-step.ts'
import { FEATURED_TITLE, makeScratchHome, OTHER_AGENT_TITLE, type ScratchHome } from './scratch-home.ts'
import { runTour, type Step, TASK, tour } from './tour.ts'

/** Lines of the screen that are not the command's own output. */
const OTHER_LINES = 8

export const run: Run<typeof demo> = async (_args, options, context) => {
  const waits = context.out.isTTY && process.stdin.isTTY && options.pause
  const home = makeScratchHome(context.io)
  const clear = options.keep ? () => {} : home.remove
  const stop = (): never => process.exit(130)
  // `exit` too: with `| head` the process may end at any point.
  process.once('exit', clear).once('SIGINT', stop).once('SIGTERM', stop)
  try {
    const isComplete = await guide(home, context, waits ? keyPause(context) : noPause)
    if (waits && isComplete && (await wantsPage(context))) {
      // Ctrl-C ends the page, and not the demo before it has removed its files.
      process.off('SIGINT', stop).on('SIGINT', ignore)
      await showPage(home, context)
      process.off('SIGINT', ignore)
    }
    printOutro(home, options.keep, context)
    return 'ok'
  } finally {
    process.off('exit', clear).off('SIGINT', stop).off('SIGTERM', stop)
    clear()
  }
}

/** Step by step, until the end or until the user quits: then false. */
async function guide(home: ScratchHome, context: Context, pause: Pause): Promise<boolean> {
  const { out } = context
  const colours = palette(out)
  say(
    'Ion starts your coding agents, resumes them exactly where they left off, and finds whatever they did.',
    colours.strong,
    context,
  )
  say('This tour runs the real commands in a temporary folder. Nothing of yours is touched.', unchanged, context)
  const featured = await sessionTitled(FEATURED_TITLE, home, context)
  const agent = findAgent(featured.agent)
  const next = findAgent((await sessionTitled(OTHER_AGENT_TITLE, home, context)).agent)
  const [bin] = [agent, next].map((one) => home.installFake(one))
  let newSession = ''
  // The fake agent is started by a shell script, which Windows cannot run.
  const runs = home.io.platform === 'win32' ? [] : runTour(agent, next, () => newSession)
  const steps = [...runs, ...tour(featured.id).map((step) => () => step)]
  for (const [index, step] of steps.entries()) {
    out.write('\n')
    if (index > 0 && !(await pause())) return false
    // The last two steps of these are about it.
    if (index === runs.length - 2) newSession = (await sessionTitled(TASK, home, context)).id
    await runStep(step(), home, bin!, context, colours)
  }
  return true
}

/** The same sessions on a page: nothing is opened unless the user asks for it. */
async function wantsPage({ out }: Context): Promise<boolean> {
  out.write('\npress w to look at these sessions in your browser (ion web), any other key to end')
  const key = await nextKey(process.stdin)
  out.write('\n')
  return /^w$/i.test(key)
}

/** Until the user ends it. */
function showPage({ io }: ScratchHome, context: Context): Promise<void> {
  const { DISPLAY, WAYLAND_DISPLAY, BROWSER, PATH } = context.io.env
  const screen = Object.entries({ DISPLAY, WAYLAND_DISPLAY, BROWSER, PATH }).filter(([, value]) => value !== undefined)
  const child = spawn(process.execPath, [process.argv[1]!, 'web'], {
    cwd: io.cwd,
    env: { ...io.env, ...Object.fromEntries(screen) },
    stdio: 'inherit',
  })
  return new Promise((resolve, reject) => child.on('error', reject).on('close', () => resolve()))
}

function ignore(): void {}

async function runStep(step: Step, home: ScratchHome, bin: string, context: Context, colours: Palette): Promise<void> {
  const { out } = context
  say(step.say, unchanged, context)
  out.write(`${colours.accent('$')} ${colours.strong(`ion ${shellLine(step.argv)}`)}\n`)
  const output = step.process
    ? await runProcess(step.argv, home, bin, step.process)
    : await runIon(step.argv, home.io, context)
  for (const line of shown(step, output, context, colours)) out.write(`${line}\n`)
  if (output.code === null) out.write(`${colours.faint('killed')}\n`)
  if (output.code === (step.code === undefined ? 0 : step.code)) return
  throw new IonError('failed', `the demo's "ion ${step.argv[0]}" failed`)
}

interface Titled {
  readonly id: string
  readonly agent: string
}

async function sessionTitled(title: string, { io }: ScratchHome, context: Context): Promise<Titled> {
  const { out } = await runIon(['sessions', '--all', '--hidden', '--sub-agents', '--limit', '0', '--json'], io, context)
  const sessions = out.map((line) => JSON.parse(line) as Titled & { title: string })
  const found = sessions.find((session) => session.title === title)
  if (!found) throw new IonError('failed', 'cannot read the sample sessions', { hint: 'ion doctor' })
  return { id: shortIdsAmong(sessions)(found), agent: found.agent }
}

/** One screenful, and how much more there was. */
function shown(step: Step, { out, before, after }: Output, { out: terminal }: Context, colours: Palette): string[] {
  const match = step.from?.match
  const found = match ? out.findIndex((line) => match.test(line)) : 0
  const from = Math.max(0, found - (step.from?.before ?? 0))
  const most = terminal.isTTY ? Math.max(3, terminal.rows - OTHER_LINES) : step.lines
  const lines = out.slice(from, from + Math.min(step.lines, most))
  const left = out.length - lines.length
  const columns = columnsOf(terminal)
  return [
    // A process in a pipe does not know the width.
    ...(step.process ? before.flatMap((line) => wrap(line, columns)) : before),
    // Coloured lines were laid out for this width; those of a document were not.
    ...lines.map((line) => (line.includes('\x1b') ? line : cutTo(line, columns))),
    ...(left > 0 ? [colours.faint(`… ${pluralize(left, 'more line')}`)] : []),
    ...after,
  ]
}

function printOutro({ path, io }: ScratchHome, keep: boolean, context: Context): void {
  const { out } = context
  out.write('\n')
  if (keep) {
    say('The samples are kept. To use them:', unchanged, context)
    out.write(`  cd ${shellLine([io.cwd])}\n`)
    const unset = locationVariables(context.io).map((name) => `-u ${name} `)
    const env = `${unset.length > 0 ? `env ${unset.join('')}` : ''}HOME=${shellLine([path])}`
    out.write(`  ${env} ION_HOME=${shellLine([io.env.ION_HOME ?? ''])} ${selfCommand(io.cwd)} sessions --all\n`)
    say('Or look at them in your browser: the same with "web" instead of "sessions --all".', unchanged, context)
    out.write(`  rm -r ${shellLine([path])}\n`)
  } else {
    say('That was the tour. The temporary folder has been removed.', unchanged, context)
    // Short enough for one line of 60 columns, with only the path on the next.
    const self = selfCommand(context.io.cwd)
    say(`Try it on your own sessions (add "web" for a browser): ${self}`, palette(out).strong, context)
  }
}

const unchanged = (text: string): string => text

function say(text: string, paint: (text: string) => string, { out }: Context): void {
  for (const line of wrap(text, columnsOf(out))) out.write(`${paint(line)}\n`)
}

/** Waits for a key; false if the user quits. */
export type Pause = () => Promise<boolean>

/** Does not wait: for a pipe and for --no-pause. */
export const noPause: Pause = async () => true

export function keyPause({ out }: Context, input: NodeJS.ReadStream = process.stdin): Pause {
  return async () => {
    const hint = 'press any key to continue, q to quit'
    out.write(hint)
    const key = await nextKey(input)
    out.write(`\r${' '.repeat(hint.length)}\r`)
    return !/^[qQ\x03\x04\x1b]/.test(key) || key.length > 1
  }
}

/** A complete escape sequence (such as an arrow key) arrives in one piece; the end of the input counts as `q`. */
function nextKey(input: NodeJS.ReadStream): Promise<string> {
  return new Promise((resolve) => {
    const done = (data?: Buffer): void => {
      input.off('data', done).off('end', done)
      input.setRawMode(false)
      input.pause()
      resolve(data?.toString('utf8') ?? 'q')
    }
    input.setRawMode(true)
    input.on('data', done).on('end', done)
    input.resume()
  })
}

/** How to call this program from `folder`: by its name if it is installed, otherwise by its path. */
export function selfCommand(folder: string, script: string = process.argv[1] ?? ''): string {
  if (basename(script) !== 'ion.cjs') return 'ion'
  const path = relative(folder, script)
  return `node ${path.startsWith('..') ? script : path}`
}

/** Variables in the user's environment that move an agent's data, or Ion's, out of another home. */
export function locationVariables(io: Io): string[] {
  const names = agents.flatMap((agent) => agent.paths(io).flatMap(({ env }) => env))
  return [...new Set([...names, 'XDG_CONFIG_HOME'])].filter((name) => io.env[name] && name !== 'ION_HOME').sort()
}
