import { type ExitKind, exitCodes, IonError, messageOf } from '../platform/error.ts'
import { realIo } from '../platform/io.ts'
import { plain } from '../platform/plain-text.ts'
import { palette } from './colour.ts'
import type { Context } from './command.ts'
import { describeFsError } from './fs-error-message.ts'
import { runCommand } from './run-command.ts'
import { parseSimple, type SimpleCommand } from './simple-command.ts'
import { directTerminals, standardTerminals } from './standard-streams.ts'

/** The command line. Never throws: an error becomes one message with a next step, and an exit code. */
export async function main(argv: readonly string[], given?: Context): Promise<number> {
  const simple = parseSimple(argv)
  const context = given ?? realContext(simple)
  try {
    const outcome = simple
      ? await runCommand(simple.command, [], simple.options, context)
      : await (await import('./program.ts')).buildProgram(context).run(argv)
    return typeof outcome === 'number' ? outcome : exitCodes[outcome].code
  } catch (error) {
    return exitCodes[report(error, context)].code
  }
}

function realContext(simple: SimpleCommand | undefined): Context {
  const io = realIo()
  return { io, ...((simple && directTerminals(io.env)) ?? standardTerminals(io.env)) }
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
