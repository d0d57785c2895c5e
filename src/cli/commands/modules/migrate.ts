import { migrate, type Outcome, undo } from '../../../modules/migrate.ts'
import { type ExitKind, IonError } from '../../../platform/error.ts'
import { tilde } from '../../../platform/home.ts'
import type { Io } from '../../../platform/io.ts'
import { palette } from '../../colour.ts'
import type { Context, Options } from '../../command.ts'
import { oneLine } from '../../text.ts'

export function runMigrate(names: readonly string[], options: Options, { io, out, err }: Context): ExitKind {
  if (options.dryRun && options.yes) {
    throw new IonError('usage', '--dry-run and --yes exclude each other', { hint: 'give one of them' })
  }
  const isDry = options.dryRun === true || (!out.isTTY && !options.yes)
  const outcomes = (options.undo ? undo : migrate)({ names, isDry }, io)
  for (const outcome of outcomes) {
    out.write(`${options.json ? JSON.stringify(outcome) : oneLine(sentence(outcome, io))}\n`)
  }
  const note = noteOn(outcomes, isDry, options)
  if (note !== undefined) err.write(`${palette(err).faint(note)}\n`)
  if (isDry) return 'ok'
  if (outcomes.some(({ outcome }) => outcome === 'failed')) return 'failed'
  return outcomes.some(({ outcome }) => outcome === 'refused') ? 'refused' : 'ok'
}

function noteOn(outcomes: readonly Outcome[], isDry: boolean, options: Options): string | undefined {
  if (outcomes.length === 0) return options.undo ? 'nothing was migrated' : 'nothing to migrate'
  if (isDry && !options.dryRun) return 'nothing was done, since this is a pipe; --yes does it'
  return undefined
}

function sentence({ name, from, to, outcome, reason }: Outcome, io: Io): string {
  const [old, new_] = [tilde(from, io), to === null ? '' : tilde(to, io)]
  switch (outcome) {
    case 'moved':
    case 'would move':
      return `${outcome} ${name}: ${old} -> ${new_} (${reason})`
    case 'moved back':
    case 'would move back':
      return `${outcome} ${name}: ${new_} -> ${old}`
    case 'refused':
    case 'failed':
      return `${outcome} ${name}: ${old} stays as it is: ${reason}`
    case 'finished':
    case 'taken back':
    case 'would finish':
    case 'nothing to do':
    case 'left':
      return `${outcome} ${name}: ${old}: ${reason}`
  }
}
