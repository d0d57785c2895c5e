import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'

/** The archived logs as text, by the names of their files; of one that is there in both forms the warm one first. */
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

/** The same whatever form they have: sessions of a test grow old, and then they are compressed. */
export function archivedLogs(ionHome: string): Record<string, string> {
  const files = Object.entries(archivedFiles(ionHome)).toReversed()
  return Object.fromEntries(files.map(([name, text]) => [name.replace(/\.gz$/, ''), text]))
}
