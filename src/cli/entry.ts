import { main } from './main.ts'

// Node 22 warns that its SQLite is experimental; the user can do nothing with that. Other warnings stay.
const emitWarning = process.emitWarning.bind(process) as (warning: string | Error, ...rest: unknown[]) => void
process.emitWarning = (warning: string | Error, ...rest: unknown[]): void => {
  if (!String(warning).includes('SQLite is an experimental feature')) emitWarning(warning, ...rest)
}

// A reader that has enough (`| head`) is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0)
  throw error
})

// Not process.exit: what is still in the pipe must reach the reader.
main(process.argv.slice(2)).then((code) => {
  process.exitCode = code
})
