import type { SessionRow } from '../../../catalog/session-row.ts'
import { tilde } from '../../../platform/home.ts'
import type { Context } from '../../command.ts'
import { pluralize } from '../../pluralize.ts'
import { bytes, oneLine } from '../../text.ts'
import type { Exporter } from './exporter.ts'
import type { Format } from './session-pieces.ts'
import { chooseTargets } from './targets.ts'
import { writeFile } from './write-file.ts'

/** More files than this are told by their number only. */
const MOST_TOLD = 20

interface Writing {
  readonly output: string
  readonly several: boolean
  readonly format: Format
  readonly force: boolean
}

/** Writes each session to its file and says so on stderr. */
export function writeAll(rows: readonly SessionRow[], exporter: Exporter, writing: Writing, context: Context): void {
  const { io } = context
  const { output, several, format, force } = writing
  const targets = chooseTargets(rows, { output, several, force, extension: format, titleOf: exporter.titleOf }, io.cwd)
  let total = 0
  for (const [done, { row, path }] of targets.entries()) {
    if (several) exporter.step(done, targets.length)
    const size = writeFile(path, exporter.pieces(row), force)
    total += size
    if (targets.length <= MOST_TOLD) exporter.say(`wrote ${oneLine(tilde(path, io))} (${bytes(size)})`)
  }
  if (several)
    exporter.say(`${pluralize(targets.length, 'session')}, ${bytes(total)}, in ${oneLine(tilde(output, io))}`)
}
