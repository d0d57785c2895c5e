import { existsSync } from 'node:fs'
import { setValue, templateText, unsetValue } from '../../config/edit.ts'
import { getSetting, listSettings, type SettingRow } from '../../config/list.ts'
import { configFile, loadConfig } from '../../config/load.ts'
import { parseKey, settings } from '../../config/setting.ts'
import { writeSettings } from '../../native/settings.ts'
import { tomlText } from '../../native/toml.ts'
import { type ExitKind, IonError } from '../../platform/error.ts'
import { tilde } from '../../platform/home.ts'
import { toJsonText } from '../../platform/json-text.ts'
import { palette } from '../colour.ts'
import type { Context, Run } from '../command.ts'
import { printProblems } from '../config-problems.ts'
import type { config as definition } from '../definitions/machine.ts'
import { editFile } from '../editor.ts'
import { type Column, table } from '../table.ts'
import { outputWidth } from '../terminal.ts'
import { oneLine } from '../text.ts'

export const run: Run<typeof definition> = async ([subcommand = 'list', key, given], { json }, context, rest) => {
  const { io, out } = context
  const words = [...given, ...(rest ?? [])]
  refuseMore(subcommand, key, words)
  switch (subcommand) {
    case 'list':
      return list(json, context)
    case 'path':
      out.write(`${configFile(io)}\n`)
      return 'ok'
    case 'edit':
      return edit(context)
    case 'get':
      return get(requireKey(key, 'get'), json, context)
    case 'set':
      return set(requireKey(key, 'set'), words, rest !== undefined, context)
    case 'unset':
      return unset(requireKey(key, 'unset'), context)
  }
}

function list(json: boolean, context: Context): ExitKind {
  const { io, out, config } = context
  const rows = listSettings(config, io)
  if (json) for (const row of rows) out.write(`${toJsonText(row)}\n`)
  else {
    const colours = palette(out)
    const columns: Column<SettingRow>[] = [
      { title: 'setting', value: ({ key }) => oneLine(key), paint: colours.accent },
      { title: 'value', value: shownValue, shrinkTo: 16 },
      { title: 'from', value: (row) => sourceOf(row, context), paint: colours.faint },
    ]
    out.write(`${table(columns, rows, outputWidth(context), colours).join('\n')}\n`)
  }
  return reportProblems(context)
}

function shownValue({ key, value }: SettingRow): string {
  if (value !== null) return oneLine(tomlText(value))
  return key === 'pager' ? 'less, if it is installed' : '-'
}

function sourceOf({ source, variable }: SettingRow, { io }: Context): string {
  if (source === 'file') return tilde(configFile(io), io)
  return source === 'environment' ? `$${variable}` : 'default'
}

/** As a script wants it: a string without quotes. */
function get(key: string, json: boolean, context: Context): ExitKind {
  const { io, out, err, config } = context
  const row = getSetting(key, config, io)
  if (json) out.write(`${toJsonText(row)}\n`)
  else if (row.value !== null)
    out.write(`${oneLine(typeof row.value === 'string' ? row.value : tomlText(row.value))}\n`)
  else err.write(`${row.key} is not set\n`)
  printProblems(config.problems, 'ignored: ', context)
  return row.value === null ? 'failed' : 'ok'
}

function set(key: string, words: readonly string[], hasRest: boolean, context: Context): ExitKind {
  const { io, out } = context
  const { setting } = parseKey(key)
  if (words.length === 0 && !(hasRest && setting.accepts([]))) {
    throw new IonError('usage', `no value is given for ${key}`, { hint: `allowed: ${setting.allowed}` })
  }
  const value = setValue(key, words, io)
  out.write(`${oneLine(`${key} = ${tomlText(value)}`)} in ${oneLine(tilde(configFile(io), io))}\n`)
  return 'ok'
}

function unset(key: string, { io, out }: Context): ExitKind {
  const wasSet = unsetValue(key, io)
  const file = oneLine(tilde(configFile(io), io))
  out.write(wasSet ? `removed ${oneLine(key)} from ${file}\n` : `${oneLine(key)} is not set in ${file}\n`)
  return 'ok'
}

/** Opens the file, new with all settings as comments, and checks what was written. */
async function edit(context: Context): Promise<ExitKind> {
  const { io, out } = context
  const file = configFile(io)
  if (!existsSync(file)) writeSettings(file, templateText())
  await editFile(file, context)
  const changed = { ...context, config: await loadConfig(io) }
  if (changed.config.problems.length === 0) out.write(`${oneLine(tilde(file, io))} is valid\n`)
  return reportProblems(changed)
}

function reportProblems(context: Context): ExitKind {
  const { problems } = context.config
  printProblems(problems, '', context)
  return problems.length === 0 ? 'ok' : 'failed'
}

function requireKey(key: string | undefined, subcommand: string): string {
  if (key !== undefined) return key
  throw new IonError('usage', 'no setting is given', {
    hint: `ion config ${subcommand} <key>: ${settings.map((setting) => setting.key).join(', ')}`,
  })
}

function refuseMore(subcommand: string, key: string | undefined, words: readonly string[]): void {
  const takes = subcommand === 'set' ? 'all' : subcommand === 'get' || subcommand === 'unset' ? 'key' : 'nothing'
  const more = takes === 'all' ? undefined : takes === 'key' ? words[0] : (key ?? words[0])
  if (more === undefined) return
  throw new IonError('usage', `"${more}" is too much for ion config ${subcommand}`, {
    hint: subcommand === 'get' || subcommand === 'unset' ? `ion config ${subcommand} ${key}` : 'ion config --help',
  })
}
