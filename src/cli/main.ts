import type { Config } from '../config/config.ts'
import { loadConfig } from '../config/load.ts'
import { effectiveColour } from '../config/precedence.ts'
import { type ExitKind, exitCodes, IonError, messageOf } from '../platform/error.ts'
import { type Io, realIo } from '../platform/io.ts'
import { plain } from '../platform/plain-text.ts'
import { palette } from './colour.ts'
import type { Context } from './command.ts'
import { describeFsError } from './fs-error-message.ts'
import { runCommand } from './run-command.ts'
import { parseSimple, type SimpleCommand } from './simple-command.ts'
import { directTerminals, standardTerminals } from './standard-streams.ts'

/** The command line. Never throws: an error becomes one message with a next step, and an exit code. */
export async function main(argv: readonly string[], given?: Omit<Context, 'config'>): Promise<number> {
  const simple = parseSimple(argv)
  const io = given?.io ?? realIo()
  const config = await loadConfig(io)
  const context = given ? { ...given, config } : realContext(simple, io, config)
  try {
    const outcome = simple
      ? await runCommand(simple.command, simple.args, simple.options, context)
      : await (await import('./program.ts')).buildProgram(context).run(argv)
    return typeof outcome === 'number' ? outcome : exitCodes[outcome].code
  } catch (error) {
    return exitCodes[report(error, context)].code
  }
}

function realContext(simple: SimpleCommand | undefined, io: Io, config: Config): Context {
  const { value: colour } = effectiveColour(config, io.env)
  return { io, config, ...((simple && directTerminals(io.env, colour)) ?? standardTerminals(io.env, colour)) }
}

const UNEXPECTED_HINT = 'run it again with ION_LOG=debug for a stack trace'

/** Prints the error once. `ION_LOG=debug` adds the stack trace. */
function report(error: unknown, { io, err }: Context): ExitKind {
  const colours = palette(err)
  const fsError = error instanceof IonError ? undefined : describeFsError(error)
  const hint = error instanceof IonError ? error.hint : (fsError?.hint ?? UNEXPECTED_HINT)
  err.write(`${colours.bad('ion:')} ${plain(fsError?.message ?? messageOf(error))}\n`)
  if (hint) err.write(`${colours.faint('  ->')} ${plain(hint)}\n`)
  if (io.env.ION_LOG === 'debug' && error instanceof Error) err.write(`${error.stack}\n`)
  return error instanceof IonError ? error.kind : 'failed'
}
