import { type ExitKind, IonError } from '../../../platform/error.ts'
import { type Palette, palette } from '../../colour.ts'
import type { Context, Options } from '../../command.ts'
import { shellLine } from '../../shell-line.ts'
import { fit as cutTo, wrap } from '../../text.ts'
import { keyPause, noPause, type Pause } from './pause.ts'
import { columnsOf, type Output, runIon } from './run-step.ts'
import { FEATURED_TITLE } from './samples.ts'
import { makeScratchHome, type ScratchHome } from './scratch-home.ts'
import { type Step, tour } from './tour.ts'

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
    farewell(home, options.keep === true, context)
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
  say('Ion finds and reads every session of your coding agents.', colours.strong, context)
  say('This tour runs the real commands on made-up sessions in a scratch folder. Yours are not touched.', same, context)
  for (const [index, step] of tour(await featuredId(home, context)).entries()) {
    out.write('\n')
    if (index > 0 && !(await pause())) return
    say(step.say, same, context)
    out.write(`${colours.accent('$')} ${colours.strong(`ion ${shellLine(step.argv)}`)}\n`)
    const output = await runIon(step.argv, home.io, context)
    for (const line of shown(step, output, context, colours)) out.write(`${line}\n`)
    if (output.code !== 0) throw new IonError('failed', `the demo's "ion ${step.argv[0]}" failed`)
  }
}

async function featuredId({ io }: ScratchHome, context: Context): Promise<string> {
  const { out } = await runIon(['sessions', '--all', '--json'], io, context)
  const sessions = out.map((line) => JSON.parse(line) as { id: string; title: string })
  const featured = sessions.find((session) => session.title === FEATURED_TITLE)
  if (!featured) throw new IonError('failed', 'the sample sessions cannot be read', { hint: 'ion doctor' })
  return featured.id.slice(0, 8)
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
    ...before,
    // What is coloured was made for this width; a document was not.
    ...lines.map((line) => (line.includes('\x1b') ? line : cutTo(line, columns))),
    ...(left > 0 ? [colours.faint(`… ${left} more lines`)] : []),
    ...after,
  ]
}

function farewell({ path, io }: ScratchHome, keep: boolean, context: Context): void {
  const { out } = context
  out.write('\n')
  if (keep) {
    say('The samples stay. Go on with them like this:', same, context)
    out.write(`  cd ${shellLine([io.cwd])}\n`)
    out.write(`  HOME=${shellLine([path])} ION_HOME=${shellLine([io.env.ION_HOME ?? ''])} ion sessions --all\n`)
    out.write(`  rm -r ${shellLine([path])}\n`)
  } else {
    say('That was the tour; nothing of it is left on your disk.', same, context)
    say('Now your own sessions: ion', palette(out).strong, context)
  }
}

const same = (text: string): string => text

function say(text: string, paint: (text: string) => string, { out }: Context): void {
  for (const line of wrap(text, columnsOf(out))) out.write(`${paint(line)}\n`)
}
