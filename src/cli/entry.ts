import { main } from './main.ts'

// Node 22 warns that its SQLite is experimental, which does not help the user. Other warnings are kept.
const emitWarning = process.emitWarning.bind(process) as (warning: string | Error, ...rest: unknown[]) => void
process.emitWarning = (warning: string | Error, ...rest: unknown[]): void => {
  if (!String(warning).includes('SQLite is an experimental feature')) emitWarning(warning, ...rest)
}

// Not process.exit: pending output must still reach the reader.
main(process.argv.slice(2)).then((code) => {
  process.exitCode = code
})
