import { findAgent } from '../../../agents/find.ts'
import { type ExitKind, IonError } from '../../../platform/error.ts'
import { type Palette, palette } from '../../colour.ts'
import type { Context, Options } from '../../command.ts'
import { pluralize } from '../../pluralize.ts'
import { shellLine } from '../../shell-line.ts'
import { fit as cutTo, wrap } from '../../text.ts'
import { keyPause, noPause, type Pause } from './pause.ts'
import { columnsOf, type Output, runIon, runOwn } from './run-step.ts'
import { FEATURED_TITLE } from './samples.ts'
import { makeScratchHome, type ScratchHome } from './scratch-home.ts'
import { callAgain, leadingOut } from './self-command.ts'
import { mainJob, type Step, TASK, tour } from './tour.ts'

/** Lines of the screen that are not the command's own output. */
const AROUND = 8

export async function run(_args: unknown, options: Options, context: Context): Promise<ExitKind> {
  const waits = context.out.isTTY && process.stdin.isTTY && options.pause !== false
  const home = makeScratchHome(context.io)
  const clear = options.keep ? () => {} : home.remove
  const stop = (): never => process.exit(130)
  // `exit` too: a reader that has enough (`| head`) ends the process in the middle.
  process.once('exit', clear).once('SIGINT', stop).once('SIGTERM', stop)
  try {
    await guide(home, context, waits ? keyPause(context) : noPause)
    printOutro(home, options.keep === true, context)
    return 'ok'
  } finally {
    process.off('exit', clear).off('SIGINT', stop).off('SIGTERM', stop)
    clear()
  }
}

/** Step by step, until the end or until the user has had enough. */
async function guide(home: ScratchHome, context: Context, pause: Pause): Promise<void> {
  const { out } = context
  const colours = palette(out)
  say(
    'Ion starts your coding agents, resumes exactly where they were, and finds whatever they did.',
    colours.strong,
    context,
  )
  say('This tour runs the real commands in a scratch folder. Nothing of yours is touched.', same, context)
  const featured = await sessionTitled(FEATURED_TITLE, home, context)
  const agent = findAgent(featured.agent)
  const bin = home.actor(agent)
  let made = ''
  // A shell script stands in for the agent, and Windows has no shell for it.
  const runs = home.io.platform === 'win32' ? [] : mainJob(agent, () => made)
  const steps = [...runs, ...tour(featured.id).map((step) => () => step)]
  for (const [index, next] of steps.entries()) {
    out.write('\n')
    if (index > 0 && !(await pause())) return
    if (index === runs.length - 1) made = (await sessionTitled(TASK, home, context)).id
    await take(next(), home, bin, context, colours)
  }
}

async function take(step: Step, home: ScratchHome, bin: string, context: Context, colours: Palette): Promise<void> {
  const { out } = context
  say(step.say, same, context)
  out.write(`${colours.accent('$')} ${colours.strong(`ion ${shellLine(step.argv)}`)}\n`)
  const output = step.own ? await runOwn(step.argv, home, bin, step.own) : await runIon(step.argv, home.io, context)
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
  const { out } = await runIon(['sessions', '--all', '--json'], io, context)
  const sessions = out.map((line) => JSON.parse(line) as Titled & { title: string })
  const found = sessions.find((session) => session.title === title)
  if (!found) throw new IonError('failed', 'the sample sessions cannot be read', { hint: 'ion doctor' })
  return { id: found.id.slice(0, 8), agent: found.agent }
}

/** A screenful of it, and how much more there was. */
function shown(step: Step, { out, before, after }: Output, { out: terminal }: Context, colours: Palette): string[] {
  const match = step.from?.match
  const found = match ? out.findIndex((line) => match.test(line)) : 0
  const from = Math.max(0, found - (step.from?.before ?? 0))
  const most = terminal.isTTY ? Math.max(3, terminal.rows - AROUND) : step.lines
  const lines = out.slice(from, from + Math.min(step.lines, most))
  const left = out.length - lines.length
  const columns = columnsOf(terminal)
  return [
    // A process in a pipe knows no width.
    ...(step.own ? before.flatMap((line) => wrap(line, columns)) : before),
    // What is coloured was made for this width; a document was not.
    ...lines.map((line) => (line.includes('\x1b') ? line : cutTo(line, columns))),
    ...(left > 0 ? [colours.faint(`… ${pluralize(left, 'more line')}`)] : []),
    ...after,
  ]
}

function printOutro({ path, io }: ScratchHome, keep: boolean, context: Context): void {
  const { out } = context
  out.write('\n')
  if (keep) {
    say('The samples stay. Go on with them like this:', same, context)
    out.write(`  cd ${shellLine([io.cwd])}\n`)
    const away = leadingOut(context.io).map((name) => `-u ${name} `)
    const env = `${away.length > 0 ? `env ${away.join('')}` : ''}HOME=${shellLine([path])}`
    out.write(`  ${env} ION_HOME=${shellLine([io.env.ION_HOME ?? ''])} ${callAgain(io.cwd)} sessions --all\n`)
    out.write(`  rm -r ${shellLine([path])}\n`)
  } else {
    say('That was the tour; nothing of it is left on your disk.', same, context)
    say(`Now your own sessions: ${callAgain(context.io.cwd)}`, palette(out).strong, context)
  }
}

const same = (text: string): string => text

function say(text: string, paint: (text: string) => string, { out }: Context): void {
  for (const line of wrap(text, columnsOf(out))) out.write(`${paint(line)}\n`)
}
