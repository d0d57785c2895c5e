import type { ConfigProblem } from '../config/config.ts'
import { configFile } from '../config/load.ts'
import { tilde } from '../platform/home.ts'
import { palette } from './colour.ts'
import type { Context } from './command.ts'
import { oneLine } from './text.ts'

/** More would hide what the command prints. */
const MAX_WARNINGS = 3

/** What is wrong in the settings is ignored, but not silently. */
export function warnOfProblems(context: Context): void {
  const { problems } = context.config
  const rest = problems.length - MAX_WARNINGS
  printProblems(problems.slice(0, MAX_WARNINGS), 'ignored: ', context)
  if (rest > 0) context.err.write(`ion: ${rest} more in the settings: ion config\n`)
}

export function printProblems(problems: readonly ConfigProblem[], start: string, { io, err }: Context): void {
  const colours = palette(err)
  const file = tilde(configFile(io), io)
  for (const { line, message, hint } of problems) {
    const place = line === undefined ? file : `${file}, line ${line}`
    err.write(`${colours.warn('ion:')} ${start}${oneLine(`${place}: ${message}`)}\n`)
    err.write(`${colours.faint('  ->')} ${oneLine(hint)}\n`)
  }
}
