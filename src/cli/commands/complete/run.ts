import { existsSync } from 'node:fs'
import { agents } from '../../../agents/_registry.ts'
import { catalogPath } from '../../../catalog/connection.ts'
import { openCatalog } from '../../../catalog/open.ts'
import type { ExitKind } from '../../../platform/error.ts'
import type { Io } from '../../../platform/io.ts'
import type { Context } from '../../command.ts'
import { ago, fit, oneLine } from '../../text.ts'
import { commands } from '../index.ts'
import { type Candidate, complete } from './complete.ts'

const MOST = 50
const SUMMARY = 60

/** Answers a shell: lines of value, tab, summary. Never an error: a shell would show it in the middle of the line. */
export async function run(args: readonly unknown[], _options: unknown, { io, out }: Context): Promise<ExitKind> {
  // Older PowerShells cannot pass an empty word and send two quotes.
  const words = ((args[0] as readonly string[] | undefined) ?? []).map((word) => (word === '""' ? '' : word))
  try {
    const { candidates, paths } = complete(words, commands, {
      agents: () => agents.map(({ id, title }) => ({ value: id, summary: title })),
      sessions: (prefix) => sessions(prefix, io),
    })
    for (const { value, summary } of candidates) out.write(`${oneLine(value)}\t${fit(oneLine(summary), SUMMARY)}\n`)
    if (paths) out.write(`:${paths}\n`)
  } catch {
    // Nothing to offer.
  }
  return 'ok'
}

/** The newest sessions as the catalogue has them: a tab key must not wait for the disk, nor make a catalogue. */
function sessions(prefix: string, io: Io): Candidate[] {
  if (!existsSync(catalogPath(io))) return []
  const catalog = openCatalog(io)
  try {
    return catalog.sessions({ limit: MOST, ...(prefix ? { words: [prefix] } : {}) }).map((row) => ({
      value: row.id,
      summary: `${row.agent} ${ago(row.updated_at, io.now())} ${row.title ?? ''}`,
    }))
  } finally {
    catalog.close()
  }
}
