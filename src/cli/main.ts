import { type ExitKind, exitCodes, IonError, messageOf } from '../platform/error.ts'
import { realIo } from '../platform/io.ts'
import { plain } from '../platform/plain-text.ts'
import { palette } from './colour.ts'
import type { Context } from './command.ts'
import { fileTrouble } from './fs-error-message.ts'
import { buildProgram } from './program.ts'
import { terminalOf } from './terminal.ts'

/** The command line. Never throws: whatever goes wrong is one message with a next step, and an exit code. */
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

/** For what Ion did not reckon with. */
const UNFORESEEN = 'the same with ION_LOG=debug shows where it came from'

/** Prints the error once, for a person. `ION_LOG=debug` adds where it came from. */
function report(error: unknown, { io, err }: Context): ExitKind {
  const colours = palette(err)
  const trouble = error instanceof IonError ? undefined : fileTrouble(error)
  const hint = error instanceof IonError ? error.hint : (trouble?.hint ?? UNFORESEEN)
  err.write(`${colours.bad('ion:')} ${plain(trouble?.message ?? messageOf(error))}\n`)
  if (hint) err.write(`${colours.faint('  ->')} ${plain(hint)}\n`)
  if (io.env.ION_LOG === 'debug' && error instanceof Error) err.write(`${error.stack}\n`)
  return error instanceof IonError ? error.kind : 'failed'
}
