import type { Catalog } from '../../../catalog/catalog.ts'
import type { SessionRow } from '../../../catalog/session-row.ts'
import { formatOfFile } from '../../../export/file-name.ts'
import { exportFormats, shareOptions } from '../../../export/session.ts'
import { carryOut, planHandover } from '../../../handover/hand-over.ts'
import { handoverTargets } from '../../../handover/targets.ts'
import { changeMarks, type MarksChange } from '../../../organise/change-marks.ts'
import { pluralize } from '../../../platform/format-count.ts'
import { withoutTilde } from '../../../platform/home.ts'
import { type Context, withDefaults } from '../../command.ts'
import { fork } from '../../definitions/running.ts'
import { show } from '../../definitions/sessions.ts'
import type { Performed } from '../../picker/pick.ts'
import { keyOf, type Request } from '../../picker/state.ts'
import { shellLine } from '../../shell-line.ts'
import { oneLine } from '../../text.ts'
import { exportRows } from '../export/exporter.ts'
import { requestOf } from '../handover/request.ts'
import { copyToClipboard, textToCopy } from '../show/copy.ts'
import { Removals } from './removals.ts'

/** What the picker's keys do with sessions while it stays open: the same as the commands, which print what is a notice here. */
export class PickerActions {
  readonly #catalog: Catalog
  readonly #context: Context
  readonly #removals: Removals

  constructor(catalog: Catalog, context: Context) {
    this.#catalog = catalog
    this.#context = context
    this.#removals = new Removals(catalog, context.io)
  }

  async perform(request: Request): Promise<Performed> {
    switch (request.kind) {
      case 'copy':
        return { notice: this.#copy(request.what, request.rows) }
      case 'export':
      case 'share':
        return { notice: await this.#export(request) }
      case 'organise':
        return this.#organise(request.change, request.rows)
      case 'plan-removal':
        return this.#removals.plan(request.rows)
      case 'remove':
        return this.#removals.remove(request.rows)
      case 'undo-removal':
        return this.#removals.undo()
      case 'plan-handover':
        return this.#targets(request.row)
      case 'fork':
        return this.#fork(request.row)
    }
  }

  #targets(row: SessionRow): Performed {
    const agents = handoverTargets(this.#context.io).map(({ id }) => id)
    if (agents.length > 0) return { targets: { row, agents } }
    return { notice: 'no agent is installed that could continue it: ion agents lists them' }
  }

  /** As `ion fork` does. */
  async #fork(row: SessionRow): Promise<Performed> {
    const { io } = this.#context
    const options = { ...withDefaults(fork, {}), as: 'native' as const }
    const request = await requestOf(this.#catalog.locate(row), undefined, options, this.#context)
    const plan = planHandover(request, io)
    const { id } = carryOut(plan, io)
    const what = plan.act === 'same' ? 'already forked' : 'forked'
    return { notice: `${what} as ${id.slice(0, 8)}: ${titleOf(row)}`, isIndexOld: true }
  }

  #copy(what: 'id' | 'resume' | 'answer', rows: readonly SessionRow[]): string {
    const [first] = rows
    if (what === 'answer') {
      const answer = this.#lastAnswer(first!)
      return `copied the last answer, ${pluralize(answer.length, 'character')}, ${this.#toClipboard(answer, first!)}`
    }
    const lines = rows.map(({ id }) => (what === 'id' ? id : shellLine(['ion', '--resume', id])))
    const through = this.#toClipboard(lines.join('\n'), first!)
    const name = what === 'id' ? 'id' : 'command'
    return `copied ${rows.length === 1 ? lines[0] : pluralize(rows.length, name)} ${through}`
  }

  #toClipboard(text: string, row: SessionRow): string {
    return copyToClipboard(text, row, this.#context)
  }

  #lastAnswer(row: SessionRow): string {
    const options = { ...withDefaults(show, {}), part: { kind: 'all' as const } }
    return textToCopy(this.#catalog, row, options, this.#context)
  }

  async #export({ kind, path, rows }: Request & { kind: 'export' | 'share' }): Promise<string> {
    const output = withoutTilde(path, this.#context.io)
    const several = rows.length > 1
    const said: string[] = []
    const err = { ...this.#context.err, isTTY: false, colour: false, write: (text: string) => void said.push(text) }
    const where = { output, several, force: false, archived: false, otherPlace: 'choose another name' }
    if (kind === 'share') {
      const format = several ? undefined : formatOfFile(output, ['md', 'html'])
      const shared = shareOptions({ format: format === 'html' ? 'html' : 'md' })
      await exportRows(rows, this.#catalog, { ...shared, ...where }, { ...this.#context, err })
    } else {
      const format = (several ? undefined : formatOfFile(output, exportFormats)) ?? 'md'
      await exportRows(rows, this.#catalog, { format, redact: false, ...where }, { ...this.#context, err })
    }
    const lines = said.join('').trim().split('\n')
    return several
      ? (lines.find((line) => line.startsWith(`${rows.length} `)) ?? lines[0]!)
      : lines.slice(0, 2).join('; ')
  }

  #organise(change: MarksChange, rows: readonly SessionRow[]): Performed {
    for (const row of rows) changeMarks(this.#context.io, row, change)
    const changed = rows.map((row) => this.#catalog.find(keyOf(row)))
    return {
      changed,
      notice: `${whatChanged(change)}: ${rows.length > 1 ? pluralize(rows.length, 'session') : titleOf(changed[0]!)}`,
    }
  }
}

function whatChanged({ name, note, pinned, addTags = [], removeTags = [] }: MarksChange): string {
  if (pinned !== undefined) return pinned ? 'pinned' : 'unpinned'
  if (name !== undefined) return name === null ? 'its own title again' : 'renamed'
  if (note !== undefined) return note === null ? 'note removed' : 'note saved'
  return [...addTags.map((tag) => `+${tag}`), ...removeTags.map((tag) => `-${tag}`)].map(oneLine).join(' ')
}

function titleOf({ title, id }: SessionRow): string {
  return oneLine(title ?? '') || id
}
