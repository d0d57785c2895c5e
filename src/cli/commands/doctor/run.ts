import { agents } from '../../../agents/_registry.ts'
import type { Agent } from '../../../agents/agent.ts'
import { findAgent } from '../../../agents/find.ts'
import type { Catalog } from '../../../catalog/catalog.ts'
import type { ExitKind } from '../../../platform/error.ts'
import { findExecutable } from '../../../platform/executable.ts'
import { toJsonText } from '../../../platform/json-text.ts'
import { plain } from '../../../platform/plain-text.ts'
import { whyProcessesAreHidden } from '../../../platform/process-list.ts'
import { palette } from '../../colour.ts'
import type { Context, Run } from '../../command.ts'
import type { doctor } from '../../definitions/machine.ts'
import { pluralize, wrap } from '../../text.ts'
import { refreshed, withCatalog } from '../../with-catalog.ts'
import { coverageChecks, recordChecks, retentionChecks } from './agent-sessions.ts'
import { storeChecks } from './agent-store.ts'
import { type Check, machineChecks, programCheck, promptCheck } from './machine.ts'

export const run: Run<typeof doctor> = async ([name], options, context) => {
  const chosen = name === undefined ? agents : [findAgent(name)]
  const check = (catalog: Catalog): ExitKind => {
    refreshed(catalog, context, { extent: 'full' })
    const checks = problemsFirst([
      // Nobody has all agents: that one is missing matters only if it was asked for.
      ...(name === undefined ? [] : chosen.flatMap((agent) => programCheck(agent, context.io))),
      ...allChecks(chosen, catalog, context, options.full),
    ])
    if (options.json) for (const check of checks) context.out.write(`${toJsonText(check)}\n`)
    else context.out.write(`${report(checks, context).join('\n')}\n`)
    return checks.some(({ verdict }) => verdict === 'bad') ? 'failed' : 'ok'
  }
  return withCatalog(context, check, { inMemory: 'always' })
}

function allChecks(chosen: readonly Agent[], catalog: Catalog, { io }: Context, full: boolean): Check[] {
  const troubles = catalog.sourceErrors()
  return [
    ...machineChecks(catalog, io),
    promptCheck(
      chosen.filter(({ start, binaries }) => start && findExecutable(binaries, io)),
      whyProcessesAreHidden(io),
      io,
    ),
    ...chosen.flatMap((agent) => [
      ...storeChecks(agent, troubles, io),
      ...recordChecks(agent, catalog),
      ...retentionChecks(agent, catalog, io),
      ...coverageChecks(agent, catalog, io, full),
    ]),
  ]
}

const SEVERITY: readonly Check['verdict'][] = ['bad', 'warn', 'ok']

/** Otherwise in the same order. */
function problemsFirst(checks: readonly Check[]): Check[] {
  return checks.toSorted((a, b) => SEVERITY.indexOf(a.verdict) - SEVERITY.indexOf(b.verdict))
}

const signs = { ok: '✓', warn: '!', bad: '✗' } as const

function report(checks: readonly Check[], { out }: Context): string[] {
  const colours = palette(out)
  const paint = { ok: colours.good, warn: colours.warn, bad: colours.bad }
  const lines: string[] = []
  const titleOf = (agent: string | null): string => agents.find(({ id }) => id === agent)?.title ?? 'This machine'
  let heading: string | undefined
  for (const { agent, name, verdict, detail, fix } of checks) {
    const isProblem = verdict !== 'ok'
    const under = isProblem ? 'Problems' : titleOf(agent)
    if (under !== heading) {
      if (lines.length) lines.push('')
      lines.push(colours.strong(under))
      heading = under
    }
    const whose = isProblem && agent !== null ? `${titleOf(agent)}, ` : ''
    const text = wrap(plain(`${whose}${name}: ${detail}`), out.columns - 4)
    lines.push(...text.map((line, index) => (index === 0 ? `${paint[verdict](signs[verdict])} ${line}` : `  ${line}`)))
    if (fix) lines.push(...wrap(plain(`-> ${fix}`), out.columns - 4).map((line) => colours.faint(`    ${line}`)))
  }
  const count = (verdict: Check['verdict']): number => checks.filter((check) => check.verdict === verdict).length
  return [
    ...lines,
    '',
    `${count('ok')} ok, ${pluralize(count('warn'), 'warning')}, ${pluralize(count('bad'), 'error')}`,
  ]
}
