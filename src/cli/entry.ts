import { messageOf } from '../platform/error.ts'
import { describeFsError } from './fs-error-message.ts'
import { main } from './main.ts'

// Node 22 warns that its SQLite is experimental, which does not help the user. Other warnings are kept.
const emitWarning = process.emitWarning.bind(process) as (warning: string | Error, ...rest: unknown[]) => void
process.emitWarning = (warning: string | Error, ...rest: unknown[]): void => {
  if (!String(warning).includes('SQLite is an experimental feature')) emitWarning(warning, ...rest)
}

// A reader that stops early (`| head`) is not an error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0)
  const { what, hint } = describeFsError(error) ?? { what: messageOf(error), hint: 'write it to another place' }
  process.stderr.write(`ion: cannot write the output: ${what}\n  -> ${hint}\n`)
  process.exit(1)
})
// If stderr cannot be written, the error cannot be reported either.
process.stderr.on('error', () => {})

// Not process.exit: pending output must still reach the reader.
main(process.argv.slice(2)).then((code) => {
  process.exitCode = code
})
