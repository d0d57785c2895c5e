import { join } from 'node:path'
import { audit } from '../../modules/audit.ts'
import type { Finding } from '../../modules/finding.ts'
import { interruptedMigration, migrate, type Outcome, undo } from '../../modules/migrate.ts'
import { isModuleName, moduleBase } from '../../modules/places.ts'
import { privateFolder } from '../../platform/atomic-file.ts'
import { type ExitKind, IonError } from '../../platform/error.ts'
import { bytes, pluralize } from '../../platform/format-count.ts'
import { tilde } from '../../platform/home.ts'
import type { Io } from '../../platform/io.ts'
import { toJsonText } from '../../platform/json-text.ts'
import { palette } from '../colour.ts'
import type { Context, OptionsOf, Run } from '../command.ts'
import type { modules } from '../definitions/machine.ts'
import { type Column, table } from '../table.ts'
import { outputWidth } from '../terminal.ts'
import { ago, oneLine } from '../text.ts'

type ModulesOptions = OptionsOf<typeof modules>

export const run: Run<typeof modules> = async ([subcommand, names], options, context) => {
  const misplaced = options.dryRun ? '--dry-run' : options.undo ? '--undo' : options.yes ? '--yes' : undefined
  if (subcommand !== 'migrate' && misplaced !== undefined) {
    throw new IonError('usage', `${misplaced} only works with migrate`, { hint: `ion modules migrate ${misplaced}` })
  }
  switch (subcommand) {
    case 'path':
      return printPath(names, options, context)
    case 'audit':
      return showAudit(names, options, context)
    case 'migrate':
      return runMigrate(names, options, context)
  }
}

function printPath(names: readonly string[], options: ModulesOptions, { io, out }: Context): ExitKind {
  if (names.length === 0) throw new IonError('usage', 'no module name given', { hint: 'ion modules path coder/ion' })
  if (names.length > 1 || options.json) {
    throw new IonError('usage', 'path takes exactly one name and has no --json', { hint: 'ion modules path coder/ion' })
  }
  const folder = modulePath(names[0]!, io)
  privateFolder(folder)
  out.write(`${folder}\n`)
  return 'ok'
}

function modulePath(name: string, io: Io): string {
  if (!isModuleName(name)) {
    throw new IonError('usage', `"${name}" is not a valid module name`, {
      hint: 'valid names are, for example, ion and coder/ion',
    })
  }
  return join(moduleBase(io), ...name.split('/'))
}

function showAudit(names: readonly string[], options: ModulesOptions, context: Context): ExitKind {
  if (names.length > 0) throw new IonError('usage', 'audit takes no names', { hint: 'ion modules audit' })
  const { io, out, err } = context
  const findings = audit(io)
  if (options.json) for (const finding of findings) out.write(`${toJsonText(finding)}\n`)
  else if (findings.length > 0) out.write(`${auditTable(findings, context).join('\n')}\n`)
  if (!options.json) err.write(`${palette(err).faint(summaryOf(findings))}\n`)
  for (const { name } of interruptedMigration(io)) {
    err.write(`moving ${oneLine(name)} was interrupted; "ion modules migrate" completes it\n`)
  }
  return 'ok'
}

function auditTable(findings: readonly Finding[], { io, out }: Context): string[] {
  const colours = palette(out)
  const columns: Column<Finding>[] = [
    { title: 'name', value: (row) => oneLine(row.name), paint: colours.accent, shrinkTo: 12 },
    {
      title: 'survives',
      value: (row) => row.survives,
      paint: (text, row) => (row.survives === 'yes' ? text : colours.warn(text)),
    },
    { title: 'size', value: (row) => bytes(row.bytes), align: 'right', dropOrder: 1 },
    { title: 'written', value: (row) => ago(row.updated_at, io.now()), align: 'right', dropOrder: 2 },
    {
      title: 'migrate',
      value: (row) => (row.action === 'none' ? '-' : row.action),
      paint: (text, row) => (row.action === 'refuse' ? colours.bad(text) : text),
    },
    { title: 'path', value: (row) => oneLine(tilde(row.path, io)), shrinkTo: 16 },
    // Sentences need space; "ion modules migrate --dry-run" prints them too.
    { title: 'why', value: (row) => oneLine(row.reason), paint: colours.faint, shrinkTo: 30, dropOrder: 3 },
  ]
  return table(columns, findings, outputWidth({ io, out }), colours)
}

function summaryOf(findings: readonly Finding[]): string {
  if (findings.length === 0) return 'no module data found'
  const movable = findings.filter(({ action }) => action === 'move').length
  const lost = findings.filter(({ survives, link }) => link === null && /^(?:no|orphaned)$/.test(survives)).length
  const next = movable === 0 ? '' : `; "ion modules migrate" would move ${movable}`
  return `${pluralize(findings.length, 'location')}, ${lost} of them lost at a restart${next}`
}

function runMigrate(names: readonly string[], options: ModulesOptions, { io, out, err }: Context): ExitKind {
  if (options.dryRun && options.yes) {
    throw new IonError('usage', '--dry-run and --yes cannot be combined', { hint: 'use one of them' })
  }
  const isDry = options.dryRun || (!out.isTTY && !options.yes)
  const outcomes = (options.undo ? undo : migrate)({ names, isDry }, io)
  for (const outcome of outcomes) {
    out.write(`${options.json ? toJsonText(outcome) : oneLine(sentence(outcome, io))}\n`)
  }
  const note = noteOn(outcomes, isDry, options)
  if (note !== undefined) err.write(`${palette(err).faint(note)}\n`)
  if (isDry) return 'ok'
  if (outcomes.some(({ outcome }) => outcome === 'failed')) return 'failed'
  return outcomes.some(({ outcome }) => outcome === 'refused') ? 'refused' : 'ok'
}

function noteOn(outcomes: readonly Outcome[], isDry: boolean, options: ModulesOptions): string | undefined {
  if (outcomes.length === 0) return options.undo ? 'nothing was migrated' : 'nothing to migrate'
  if (isDry && !options.dryRun) return 'nothing was done because stdout is not a terminal; --yes does it'
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
      return `${outcome} ${name}: ${old} was not changed: ${reason}`
    case 'taken back':
      return `rolled back ${name}: ${old}: ${reason}`
    case 'left':
      return `skipped ${name}: ${old}: ${reason}`
    case 'finished':
    case 'would finish':
    case 'nothing to do':
      return `${outcome} ${name}: ${old}: ${reason}`
  }
}
