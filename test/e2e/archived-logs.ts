import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'

/** The archived logs as text, by file name; of a log that exists in both forms the uncompressed one comes first. */
export function archivedFiles(ionHome: string): Record<string, string> {
  const folder = join(ionHome, 'sessions')
  if (!existsSync(folder)) return {}
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /\.jsonl(\.gz)?$/.test(name),
  )
  return Object.fromEntries(
    names.sort().map((name) => {
      const bytes = readFileSync(join(folder, name))
      return [name, (name.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8')]
    }),
  )
}

/** The same in either form: old sessions are compressed. */
export function archivedLogs(ionHome: string): Record<string, string> {
  const files = Object.entries(archivedFiles(ionHome)).toReversed()
  return Object.fromEntries(files.map(([name, text]) => [name.replace(/\.gz$/, ''), text]))
}
