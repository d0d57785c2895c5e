import { agents } from '../../../agents/_registry.ts'
import { findAgent, nearestAgent } from '../../../agents/find.ts'
import type { Catalog } from '../../../catalog/catalog.ts'
import { type Check, problemsFirst } from '../../../doctor/check.ts'
import { homeChecks } from '../../../doctor/home-checks.ts'
import { programCheck } from '../../../doctor/machine.ts'
import { attempt, type ExitKind, IonError } from '../../../platform/error.ts'
import { pluralize } from '../../../platform/format-count.ts'
import { toJsonText } from '../../../platform/json-text.ts'
import { plain } from '../../../platform/plain-text.ts'
import { palette } from '../../colour.ts'
import type { Context, Run } from '../../command.ts'
import type { doctor } from '../../definitions/machine.ts'
import { wrap } from '../../text.ts'
import { refreshed, withCatalog } from '../../with-catalog.ts'
import { withSession } from '../../with-session.ts'
import { replicaChecks } from './replica.ts'
import { sessionChecks } from './session.ts'

export const run: Run<typeof doctor> = async ([name], options, context) => {
  const agent = name === undefined ? undefined : attempt(() => findAgent(name))
  if (name !== undefined && !agent) return print(await checkSession(name, context), options.json, context)
  const chosen = agent ? [agent] : agents
  const ofReplicas = await replicaChecks(agent?.id, context)
  const check = (catalog: Catalog): ExitKind => {
    refreshed(catalog, context, { extent: 'full' })
    const checks = [
      // Nobody has all agents: that one is missing matters only if it was asked for.
      ...(agent ? programCheck(agent, context.io) : []),
      ...ofReplicas,
      ...homeChecks(chosen, catalog, context.io, options.full),
    ]
    return print(checks, options.json, context)
  }
  return withCatalog(context, check, { inMemory: 'always' })
}

function print(checks: readonly Check[], json: boolean, context: Context): ExitKind {
  const sorted = problemsFirst(checks)
  if (json) for (const check of sorted) context.out.write(`${toJsonText(check)}\n`)
  else context.out.write(`${report(sorted, context).join('\n')}\n`)
  return checks.some(({ verdict }) => verdict === 'bad') ? 'failed' : 'ok'
}

/** Throws `not-found` if it is neither a session nor an agent. */
async function checkSession(name: string, context: Context): Promise<Check[]> {
  try {
    return await withSession(context, [name], { remote: false }, ({ row, catalog }) =>
      sessionChecks(row, catalog.locate(row), context.io),
    )
  } catch (error) {
    if (!(error instanceof IonError) || error.kind !== 'not-found') throw error
    const meant = nearestAgent(name)
    throw new IonError('not-found', `no agent and no session matches "${name}"`, {
      cause: error,
      hint: `${meant ? `did you mean ${meant}? ` : ''}ion agents lists agents, ion sessions --all sessions`,
    })
  }
}

const signs = { ok: '✓', warn: '!', bad: '✗' } as const

function report(checks: readonly Check[], { out }: Context): string[] {
  const colours = palette(out)
  const paint = { ok: colours.good, warn: colours.warn, bad: colours.bad }
  const lines: string[] = []
  const titleOf = (agent: string | null): string =>
    agent === null ? 'This machine' : (agents.find(({ id }) => id === agent)?.title ?? agent)
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
