import { asObject } from '../native/narrow.ts'
import { settingsText } from '../native/settings.ts'
import { parseToml } from '../native/toml.ts'
import { tomlLine } from '../native/toml-entries.ts'
import { attempt, IonError, messageOf } from '../platform/error.ts'
import type { Io } from '../platform/io.ts'
import { type Config, type ConfigProblem, noConfig } from './config.ts'
import { expanded, findSetting, valueHint } from './setting.ts'

/** Reads the file. What is wrong in it is left out and reported; a file that cannot be read is as if it were empty. */
export function readConfig(file: string, io: Io): Config {
  try {
    return parseConfig(settingsText(file), io)
  } catch (error) {
    const hint = (error instanceof IonError && error.hint) || 'ion config edit'
    return { ...noConfig, problems: [{ message: messageOf(error), hint }] }
  }
}

export function parseConfig(text: string, io: Pick<Io, 'home'>): Config {
  let table: Readonly<Record<string, unknown>>
  try {
    table = parseToml(text)
  } catch (error) {
    return { ...noConfig, problems: [syntaxProblem(error)] }
  }
  const problems: ConfigProblem[] = []
  const config = { ...noConfig, arguments: new Map<string, readonly string[]>(), projects: new Map<string, string>() }
  for (const [path, value] of valuesOf(table)) {
    const problem = problemOf(path, value)
    if (problem) problems.push({ ...problem, ...lineOf(text, path) })
    else Object.assign(config, assigned(config, path, value, io))
  }
  return { ...config, problems }
}

/** Down to what should be values; an unknown table is reported once, not by each of its values. */
function* valuesOf(table: object, above: readonly string[] = []): Generator<[readonly string[], unknown]> {
  for (const [key, value] of Object.entries(table)) {
    const path = [...above, key]
    const found = findSetting(path)
    if ('isTable' in found && asObject(value)) yield* valuesOf(asObject(value)!, path)
    else yield [path, value]
  }
}

/** Its type was checked. */
function assigned(
  config: Pick<Config, 'replica'> & {
    readonly arguments: Map<string, readonly string[]>
    readonly projects: Map<string, string>
  },
  [first, name = '']: readonly string[],
  value: unknown,
  io: Pick<Io, 'home'>,
): Partial<Config> {
  if (first === 'agents') config.arguments.set(name, value as readonly string[])
  else if (first === 'projects') config.projects.set(name, expanded(value as string, io))
  else if (first === 'replica')
    return { replica: { ...config.replica, [name]: name === 'key_file' ? expanded(value as string, io) : value } }
  else return { [first === 'color' ? 'colour' : first!]: value }
  return {}
}

/** A problem without a line is still one. */
function lineOf(text: string, path: readonly string[]): { line?: number } {
  const line = attempt(() => tomlLine(text, path))
  return line === undefined ? {} : { line }
}

function problemOf(path: readonly string[], value: unknown): ConfigProblem | undefined {
  const found = findSetting(path)
  if (!('setting' in found)) return { message: found.message, hint: found.hint }
  if (found.setting.accepts(value)) return undefined
  return { message: `wrong value of "${path.join('.')}"`, hint: valueHint(found.setting, String(value)) }
}

/** The first line of the parser's message says what, the others show where. */
export function syntaxProblem(error: unknown): ConfigProblem {
  const { line } = error as { line?: number }
  const [message] = String((error as Error).message).split('\n')
  return {
    message: `not valid TOML: ${message!.replace(/^Invalid TOML document: /, '')}`,
    hint: 'ion config edit',
    ...(line === undefined ? {} : { line }),
  }
}
