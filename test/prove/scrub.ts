import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { openDatabase } from '../../src/platform/sqlite.ts'
import { isDatabase } from './stored.ts'

/** The home in fixtures. */
const FIXTURE_HOME = '/home/dev'

/** Texts longer than this, in words, are the vendor's: the stub model's and our own are shorter. */
const LONGEST_OWN = 80
const MAX_BYTES = 2_000_000
/** Credentials and locks, and what of a database is in its main file after the copy. */
const LEFT_OUT = /\/[^/]*(auth|credential|token)[^/]*\.json$|\.(key|pem|lock|sock)$|-(wal|shm)$/i
const CACHES = new Set(['.cache', '.npm', '.git', 'node_modules'])

export interface ScrubbedFile {
  path: string
  bytes: number
  /** Number of records of each kind, for files of JSON lines. */
  records: Record<string, number>
}

interface CopyRequest {
  /** As long as FIXTURE_HOME: its path is replaced in place, in databases too. */
  home: string
  target: string
  /** Absolute paths that are not copied. */
  exclude: readonly string[]
  program: string
}

/** Copies a home without caches, paths of this machine and the vendor's texts. */
export function copyScrubbed({ home, target, exclude, program }: CopyRequest): {
  files: ScrubbedFile[]
  skipped: string[]
} {
  const [files, skipped]: [ScrubbedFile[], string[]] = [[], []]
  for (const path of filesBelow(home, exclude)) {
    const name = replacePaths(relative(home, path), home, program)
    if (statSync(path).size > MAX_BYTES || LEFT_OUT.test(path)) {
      skipped.push(name)
      continue
    }
    const file = join(target, name)
    mkdirSync(dirname(file), { recursive: true })
    if (isDatabase(path)) copyDatabase(path, file, home, program)
    else writeFileSync(file, scrubText(replacePaths(readFileSync(path, 'utf8'), home, program)))
    files.push({ path: name, bytes: statSync(file).size, records: recordKinds(file) })
  }
  return { files, skipped }
}

function filesBelow(folder: string, exclude: readonly string[]): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (exclude.includes(path) || CACHES.has(entry.name)) return []
    if (entry.isDirectory()) return filesBelow(path, exclude)
    return entry.isFile() ? [path] : []
  })
}

/** Also where an agent writes a path with dashes. Lengths stay the same. */
export function replacePaths(text: string, home: string, program: string): string {
  const folder = dirname(dirname(program))
  return text
    .replaceAll(folder, '/opt/agent'.padEnd(folder.length, '_').slice(0, folder.length))
    .replaceAll(home, FIXTURE_HOME)
    .replaceAll(home.replaceAll('/', '-'), FIXTURE_HOME.replaceAll('/', '-'))
    .replaceAll(home.slice(1).replaceAll('/', '-'), FIXTURE_HOME.slice(1).replaceAll('/', '-'))
    .replaceAll(hostname(), 'devbox')
}

/** Replaces long texts by dots: in JSON, in lines of JSON, and in anything else line by line. */
export function scrubText(text: string): string {
  const whole = scrubJson(text)
  if (whole !== undefined) return whole
  return text
    .split('\n')
    .map((line) => scrubJson(line) ?? dotted(line))
    .join('\n')
}

/** Undefined for anything that is not an object or an array in JSON. */
function scrubJson(text: string): string | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined
  try {
    const indent = /^\s*[[{]\n( +)/.exec(text)?.[1]?.length
    const end = /\s*$/.exec(text)?.[0] ?? ''
    return JSON.stringify(scrubValue(JSON.parse(text)), null, indent) + end
  } catch {
    return undefined
  }
}

function scrubValue(value: unknown): unknown {
  if (typeof value === 'string') return scrubJson(value) ?? dotted(value)
  if (Array.isArray(value)) return value.map(scrubValue)
  if (value !== null && typeof value === 'object') {
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, scrubValue(one)]))
  }
  return value
}

function dotted(text: string): string {
  return text.length > LONGEST_OWN && text.split(/\s+/).length > 5 ? '.'.repeat(text.length) : text
}

/** With its WAL, as one file. */
function copyDatabase(from: string, to: string, home: string, program: string): void {
  const source = openDatabase(from)
  source.exec(`VACUUM INTO '${to.replaceAll("'", "''")}'`)
  source.close()
  const database = openDatabase(to)
  const tables = database
    .prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
    .all()
  for (const { name } of tables as { name: string }[]) {
    const columns = database.prepare(`PRAGMA table_info("${name}")`).all() as { name: string }[]
    for (const { name: column } of columns) {
      const rows = database
        .prepare(`SELECT DISTINCT "${column}" AS value FROM "${name}" WHERE typeof("${column}") = 'text'`)
        .all() as { value: string }[]
      for (const { value } of rows) {
        const clean = scrubText(replacePaths(value, home, program))
        if (clean !== value) {
          database.prepare(`UPDATE "${name}" SET "${column}" = ? WHERE "${column}" = ?`).run(clean, value)
        }
      }
    }
  }
  database.exec('VACUUM')
  database.close()
}

function recordKinds(file: string): Record<string, number> {
  const kinds: Record<string, number> = {}
  if (!/\.(jsonl|ndjson)$/.test(file)) return kinds
  for (const line of readFileSync(file, 'utf8').split('\n').filter(Boolean)) {
    try {
      const record = JSON.parse(line) as { type?: unknown; kind?: unknown; message?: { role?: unknown } }
      const kind = [record.type ?? record.kind ?? 'record', record.message?.role].filter(Boolean).join('/')
      kinds[kind] = (kinds[kind] ?? 0) + 1
    } catch {
      kinds['not JSON'] = (kinds['not JSON'] ?? 0) + 1
    }
  }
  return kinds
}
