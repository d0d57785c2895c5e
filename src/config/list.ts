import type { TomlValue } from '../native/toml.ts'
import { tilde } from '../platform/home.ts'
import type { Io } from '../platform/io.ts'
import type { Config } from './config.ts'
import { type Effective, effectiveColour, effectivePager, effectiveReplica } from './precedence.ts'
import { parseKey } from './setting.ts'

/** A setting as it counts now; null where nothing is set and there is no default. */
export interface SettingRow extends Effective<TomlValue | null> {
  readonly key: string
}

/** All settings, with those of the tables that the file has. */
export function listSettings(config: Config, io: Io): SettingRow[] {
  const pager = effectivePager(config, io.env)
  return [
    row('agent', fromFile(config.agent, null)),
    ...[...config.arguments].map(([id, value]) => row(`agents.${id}.arguments`, { value, source: 'file' as const })),
    row('pager', { ...pager, value: pager.value ?? null }),
    row('colour', effectiveColour(config, io.env)),
    row('all', fromFile(config.all, false)),
    ...[...config.projects].map(([name, folder]) =>
      row(`projects.${name}`, { value: tilde(folder, io), source: 'file' as const }),
    ),
    ...Object.entries(effectiveReplica(config, io.env)).map(([name, { value, ...from }]) =>
      row(`replica.${name}`, { ...from, value: value ?? null }),
    ),
  ]
}

/** The setting with that key; its value is null if it is not set. An error for an unknown key. */
export function getSetting(key: string, config: Config, io: Io): SettingRow {
  const { path } = parseKey(key)
  const name = path[0] === 'color' ? 'colour' : path.join('.')
  return listSettings(config, io).find((one) => one.key === name) ?? row(name, { value: null, source: 'default' })
}

function row(key: string, effective: Effective<TomlValue | null>): SettingRow {
  return { key, ...effective }
}

function fromFile<T extends TomlValue | null>(value: T | undefined, fallback: T): Effective<T> {
  return value === undefined ? { value: fallback, source: 'default' } : { value, source: 'file' }
}
