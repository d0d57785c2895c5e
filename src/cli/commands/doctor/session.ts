import { agents } from '../../../agents/_registry.ts'
import type { Agent } from '../../../agents/agent.ts'
import { type Located, readSession } from '../../../catalog/read-session.ts'
import type { SessionRow } from '../../../catalog/session-row.ts'
import { coverageCheck } from '../../../doctor/agent-sessions.ts'
import { bad, type Check, ok, warn } from '../../../doctor/check.ts'
import { isProblem, type SessionItem } from '../../../events/item.ts'
import { type Ailment, type Diagnosis, diagnose, type Finding } from '../../../handover/diagnose.ts'
import { type ReadContext, readContext } from '../../../native/read-context.ts'
import { pluralize } from '../../../platform/format-count.ts'
import { tilde } from '../../../platform/home.ts'
import type { Io } from '../../../platform/io.ts'
import { hasCopy } from '../../../vault/manifest.ts'
import { ProblemSummary } from '../../problem-summary.ts'

/** One session: whether it can be read, resumed, and sent to the provider again. */
export function sessionChecks(row: SessionRow, located: Located, io: Io): Check[] {
  const { head } = located
  const agent = agents.find(({ id }) => id === head.agent)
  const problems = new ProblemSummary()
  let first: ReadContext | undefined
  function* read(): Generator<SessionItem> {
    const reading = readContext(io)
    const isFirst = first === undefined
    first ??= reading
    for (const item of readSession(located, io, reading)) {
      if (isFirst && isProblem(item)) problems.add(item)
      yield item
    }
  }
  const diagnosis = diagnose(read)
  return [
    ok('session', `${row.title ?? 'untitled'} (${head.id}), ${tilde(head.path, io)}`, head.agent),
    ...recordChecks(problems, head.id, head.agent, io),
    coverageCheck(first!.coverage, '', head.id, head.agent),
    resumeCheck(row, located, agent, io),
    ...providerChecks(diagnosis, head.id, head.agent, agent),
  ]
}

function recordChecks(problems: ProblemSummary, id: string, agent: string, io: Io): Check[] {
  const fix = `the rest is shown and can be handed over: ion --resume ${id} --in <agent> --incomplete`
  return problems.lines(io).map((line) => warn('records', line, fix, agent))
}

function resumeCheck(row: SessionRow, { head, reader }: Located, agent: Agent | undefined, io: Io): Check {
  const { id } = head
  if (reader.id !== head.agent) {
    const copied = hasCopy(head, io)
    const fix = copied ? `ion restore ${id}` : `to continue it in a new session: ion --resume ${id} --in <agent>`
    return warn('resume', `only in Ion's archive${copied ? '' : ', without an exact copy'}`, fix, head.agent)
  }
  const pid = agent?.live?.(io, [head.native_id]).get(head.native_id)
  if (pid) return ok('resume', `open now, in process ${pid}`, head.agent)
  if (!agent?.start || !row.resumable) {
    const why = agent?.resume.note ?? 'the agent has no command for it'
    return warn(
      'resume',
      `not possible: ${why}`,
      `ion --resume ${id} --in <agent> continues it in another one`,
      head.agent,
    )
  }
  return ok('resume', `ion --resume ${id}`, head.agent)
}

/** What is wrong, for `n` of them. */
const AILMENTS: Readonly<Record<Ailment, (n: number) => string>> = {
  thinking_signature: () =>
    'signed thinking that the provider does not accept any more (another model, account or key)',
  sealed_reasoning: () => 'sealed reasoning of another account or organisation',
  call_without_result: (n) => `${pluralize(n, 'tool call')} without a result in the middle`,
  result_without_call: (n) => `${pluralize(n, 'result')} without a tool call`,
  call_id: (n) => `${pluralize(n, 'tool call')} with an id that providers refuse (too long, or with other signs)`,
  empty_text: (n) => `${pluralize(n, 'message')} without text`,
}

function providerChecks({ findings, sealed }: Diagnosis, id: string, name: string, agent: Agent | undefined): Check[] {
  const copy = agent?.writer
    ? `a copy without it: ion --resume ${id} --in ${agent.id}`
    : `continue it in another agent: ion --resume ${id} --in <agent>`
  const checkOf = ({ ailment, likelihood, count, event }: Finding): Check => {
    const what = `${AILMENTS[ailment](count)} (event ${event})`
    if (likelihood === 'reported') return bad('provider', `refuses the session: ${what}`, copy, name)
    if (likelihood === 'likely') return warn('provider', `will probably refuse the session: ${what}`, copy, name)
    return ok('provider', `has accepted ${what}`, name)
  }
  const checks = findings.map((finding): Check => ({ ...checkOf(finding), code: finding.ailment }))
  if (sealed > 0) {
    const records = `${pluralize(sealed, 'sealed record')}, of use only to the account that made them`
    checks.push(ok('reasoning', `${records}; after a change of account, ${copy}`, name))
  }
  return isRefused(findings) ? checks : [ok('provider', 'nothing that it would refuse', name), ...checks]
}

function isRefused(findings: readonly Finding[]): boolean {
  return findings.some(({ likelihood }) => likelihood !== 'accepted')
}
