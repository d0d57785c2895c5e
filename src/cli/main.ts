import { type ExitKind, exitCodes, IonError, messageOf } from '../platform/error.ts'
import { realIo } from '../platform/io.ts'
import { plain } from '../platform/plain-text.ts'
import { palette } from './colour.ts'
import type { Context } from './command.ts'
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

/** Prints the error once, for a person. `ION_LOG=debug` adds where it came from. */
function report(error: unknown, { io, err }: Context): ExitKind {
  const colours = palette(err)
  err.write(`${colours.bad('ion:')} ${plain(messageOf(error))}\n`)
  if (error instanceof IonError && error.hint) err.write(`${colours.faint('  ->')} ${plain(error.hint)}\n`)
  if (io.env.ION_LOG === 'debug' && error instanceof Error) err.write(`${error.stack}\n`)
  return error instanceof IonError ? error.kind : 'failed'
}
