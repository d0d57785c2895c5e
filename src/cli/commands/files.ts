import { isAbsolute, normalize, relative, resolve } from 'node:path'
import type { SessionRow } from '../../catalog/session-row.ts'
import { isAt, sessionsNaming } from '../../catalog/touched-files.ts'
import { type SessionChange, sessionChanges } from '../../export/file-changes.ts'
import { pluralize } from '../../platform/format-count.ts'
import { tilde } from '../../platform/home.ts'
import { toJsonText } from '../../platform/json-text.ts'
import { plain } from '../../platform/plain-text.ts'
import { palette } from '../colour.ts'
import type { Context, Run } from '../command.ts'
import type { files } from '../definitions/sessions.ts'
import { diffLines, lineCounts } from '../diff-lines.ts'
import { listTitle } from '../list-title.ts'
import { shellLine } from '../shell-line.ts'
import { shownIds } from '../short-id.ts'
import { outputWidth } from '../terminal.ts'
import { ago, fit, oneLine } from '../text.ts'
import { parseLimit } from '../validate.ts'
import { refreshed, withCatalog } from '../with-catalog.ts'
import { turnName } from './changes.ts'

const DEFAULT_LIMIT = 20
/** Of the last edit, if not all are shown. */
const SHOWN_LINES = 12

export const run: Run<typeof files> = async ([path], options, context) => {
  const { io, out, err } = context
  const limit = parseLimit(options.limit, DEFAULT_LIMIT) ?? Number.MAX_SAFE_INTEGER
  const file = resolve(io.cwd, path)
  return withCatalog(context, async (catalog) => {
    refreshed(catalog, context)
    let found = 0
    const elsewhere = new Set<string>()
    for (const { row, events } of sessionsNaming(catalog, file, io)) {
      const all = sessionChanges(events()).changes
      const changes = all.filter((change) => isAt(change.path, row.cwd, file))
      if (changes.length === 0) {
        for (const change of all)
          for (const other of sameName(path, resolve(row.cwd ?? '/', change.path))) elsewhere.add(other)
        continue
      }
      if (options.json) for (const change of changes) out.write(`${toJsonText({ session: row, ...change })}\n`)
      else {
        const id = shownIds([row], catalog, out)(row)
        out.write(`${found > 0 ? '\n' : ''}${linesOf(id, row, changes, file, options.full, context).join('\n')}\n`)
      }
      await out.drained?.()
      if (++found >= limit) break
    }
    const what = found === 0 ? 'no session changed' : `${pluralize(found, 'session')} changed`
    err.write(`${palette(err).faint(`${what} ${plain(tilde(file, io))}, as far as the transcripts say`)}\n`)
    if (found === 0) for (const line of hintLines(path, [...elsewhere])) err.write(`${plain(line)}\n`)
    return found > 0 ? 'ok' : 'failed'
  })
}

/** The file or folder elsewhere that a relative path would name from there, if this changed file is it or in it. */
function sameName(asked: string, changed: string): string[] {
  if (isAbsolute(asked)) return []
  const name = `/${normalize(asked).replace(/\/$/, '')}`
  const end = `${changed}/`.lastIndexOf(`${name}/`)
  return end < 0 ? [] : [changed.slice(0, end + name.length)]
}

const MAX_HINTS = 5

function hintLines(asked: string, elsewhere: readonly string[]): string[] {
  if (elsewhere.length > 0) {
    const commands = elsewhere.slice(0, MAX_HINTS).map((path) => `     ${shellLine(['ion', 'files', path])}`)
    return ['  -> a session changed one with that name in another folder:', ...commands]
  }
  return isAbsolute(asked)
    ? []
    : ['  -> it was looked for in the current folder; for another one, give an absolute path']
}

function linesOf(
  id: string,
  row: SessionRow,
  changes: readonly SessionChange[],
  asked: string,
  isFull: boolean,
  { io, out }: Context,
): string[] {
  const colours = palette(out)
  const columns = outputWidth({ io, out })
  const last = changes.at(-1)!
  const shown = isFull ? changes : [last]
  const facts = [`${id}#${last.event}`, row.agent, ago(last.timestamp, io.now()), pluralize(changes.length, 'change')]
  const diffs = shown.flatMap((change) => {
    const lines = diffLines(change.diff, colours)
    const cut = isFull ? lines : lines.slice(0, SHOWN_LINES)
    const rest = lines.length - cut.length
    // Of a folder, it must be said which file it is.
    const path = resolve(row.cwd ?? '/', change.path)
    const name = path === asked ? [] : [oneLine(relative(asked, path))]
    const facts = isFull ? [turnName(change), `#${change.event}`, ...name] : name
    const heading = facts.length > 0 ? [`${colours.faint(facts.join(' · '))} ${lineCounts(change, colours)}`] : []
    return [...heading, ...cut, ...(rest > 0 ? [colours.faint(`… ${pluralize(rest, 'more line')} (--full)`)] : [])]
  })
  return [
    colours.strong(fit(listTitle(row, 'untitled'), columns)),
    `  ${colours.faint(fit(facts.join(' · '), columns - 2))}`,
    ...diffs.map((line) => `  ${line}`),
  ]
}
