import { agents } from '../../../agents/_registry.ts'
import type { Catalog } from '../../../catalog/catalog.ts'
import type { ExitKind } from '../../../platform/error.ts'
import { plain } from '../../../platform/plain-text.ts'
import { palette } from '../../colour.ts'
import type { Context, Run } from '../../command.ts'
import type { doctor } from '../../definitions/machine.ts'
import { pluralize, wrap } from '../../text.ts'
import { refreshed, withCatalog } from '../../with-catalog.ts'
import { coverageChecks, retentionChecks } from './agent-sessions.ts'
import { storeChecks } from './agent-store.ts'
import { baseChecks, type Check, machineChecks } from './machine.ts'

export const run: Run<typeof doctor> = async (_args, options, context) => {
  const base = baseChecks(context.io)
  if (base.some(isBad)) return print(base, options.json, context)
  return withCatalog(context, (catalog) => {
    refreshed(catalog, context, { extent: 'full' })
    return print(allChecks(catalog, context, options.full), options.json, context)
  })
}

const isBad = ({ verdict }: Check): boolean => verdict === 'bad'

function print(checks: readonly Check[], json: boolean, context: Context): ExitKind {
  if (json) for (const check of checks) context.out.write(`${JSON.stringify(check)}\n`)
  else context.out.write(`${report(checks, context).join('\n')}\n`)
  return checks.some(isBad) ? 'failed' : 'ok'
}

function allChecks(catalog: Catalog, { io }: Context, full: boolean): Check[] {
  const troubles = catalog.sourceErrors()
  return [
    ...machineChecks(catalog, io),
    ...agents.flatMap((agent) => [
      ...storeChecks(agent, troubles, io),
      ...retentionChecks(agent, catalog, io),
      ...coverageChecks(agent, catalog, io, full),
    ]),
  ]
}

const signs = { ok: '✓', warn: '!', bad: '✗' } as const

function report(checks: readonly Check[], { out }: Context): string[] {
  const colours = palette(out)
  const paint = { ok: colours.good, warn: colours.warn, bad: colours.bad }
  const lines: string[] = []
  let heading: string | null | undefined
  for (const { agent, name, verdict, detail, fix } of checks) {
    if (agent !== heading) {
      if (lines.length) lines.push('')
      lines.push(colours.strong(agents.find(({ id }) => id === agent)?.title ?? 'This machine'))
      heading = agent
    }
    const text = wrap(plain(`${name}: ${detail}`), out.columns - 4)
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
