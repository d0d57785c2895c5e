import { type ExitKind, exitCodes, IonError, messageOf } from '../platform/error.ts'
import { realIo } from '../platform/io.ts'
import { plain } from '../platform/plain-text.ts'
import { palette } from './colour.ts'
import type { Context } from './command.ts'
import { describeFsError } from './fs-error-message.ts'
import { buildProgram } from './program.ts'
import { terminalOf } from './terminal.ts'

/** The command line. Never throws: an error becomes one message with a next step, and an exit code. */
export async function main(argv: readonly string[], context: Context = realContext()): Promise<number> {
  try {
    const outcome = await buildProgram(context).run(argv)
    return typeof outcome === 'number' ? outcome : exitCodes[outcome].code
  } catch (error) {
    return exitCodes[report(error, context)].code
  }
}

function realContext(): Context {
  const io = realIo()
  return { io, out: terminalOf(process.stdout, io.env), err: terminalOf(process.stderr, io.env) }
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
