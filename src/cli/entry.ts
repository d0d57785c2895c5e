import { messageOf } from '../platform/error.ts'
import { fileTrouble } from './fs-error-message.ts'
import { main } from './main.ts'

// Node 22 warns that its SQLite is experimental; the user can do nothing with that. Other warnings stay.
const emitWarning = process.emitWarning.bind(process) as (warning: string | Error, ...rest: unknown[]) => void
process.emitWarning = (warning: string | Error, ...rest: unknown[]): void => {
  if (!String(warning).includes('SQLite is an experimental feature')) emitWarning(warning, ...rest)
}

// A reader that has enough (`| head`) is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0)
  const { what, hint } = fileTrouble(error) ?? { what: messageOf(error), hint: 'write it elsewhere' }
  process.stderr.write(`ion: the output cannot be written: ${what}\n  -> ${hint}\n`)
  process.exit(1)
})
// Where notices cannot be told, there is nobody to tell that to.
process.stderr.on('error', () => {})

// Not process.exit: what is still in the pipe must reach the reader.
main(process.argv.slice(2)).then((code) => {
  process.exitCode = code
})
