import type { HandedOver, HandoverPlan } from '../../../handover/hand-over.ts'
import { bytesOf } from '../../../handover/place.ts'
import type { Loss } from '../../../handover/report.ts'
import { formatCount } from '../../../platform/format-count.ts'
import { tilde } from '../../../platform/home.ts'
import type { Io } from '../../../platform/io.ts'
import { plain } from '../../../platform/plain-text.ts'
import { shellLine } from '../../shell-line.ts'

/** The report of `--json`. */
export function reportJson(plan: HandoverPlan, over: HandedOver | undefined) {
  const { request, mode, reason, act, events, losses, tokens, budget } = plan
  const { head } = request.source
  const isWritten = over !== undefined
  return {
    act: isWritten ? (act === 'same' ? 'existing' : act === 'rest' ? 'completed' : 'written') : 'none',
    mode,
    reason,
    source: { agent: head.agent, id: head.id, title: head.title },
    target: { agent: request.target.id, id: over?.id ?? null, native_id: over?.nativeId ?? null, cwd: request.cwd },
    events: { ...events, as_text: events.text, text: undefined },
    lossy: losses,
    call_ids: Object.fromEntries(plan.callIds),
    bytes: plan.written ? bytesOf(plan.written) : null,
    tokens_estimated: tokens,
    budget,
    files: over?.files ?? [],
    resume: over ? shellLine(['ion', '--resume', over.id]) : null,
    undo: over ? shellLine(['ion', 'handover', 'undo', over.id]) : null,
  }
}

/** The same for people. */
export function reportText(plan: HandoverPlan, over: HandedOver | undefined, io: Io): string {
  const { request, mode, reason, act, session, events, tokens, budget } = plan
  const { head } = request.source
  const { target } = request
  const what = mode === 'brief' ? 'a brief of session' : 'session'
  const verb = !over
    ? `would write ${what}`
    : act === 'same'
      ? `already handed over: ${what}`
      : act === 'rest'
        ? `added the rest of ${what}`
        : `wrote ${what}`
  const lines = [
    `${verb} ${head.id.slice(0, 8)} of ${request.sourceAgent.title} ${over ? 'to' : 'into'} ${target.title}${over ? ` as ${over.id}` : ''}`,
    `  title   ${session.title}`,
    `  folder  ${tilde(request.cwd, io)}`,
    `  mode    ${mode} (${reason})`,
    `  size    about ${formatCount(tokens)} tokens${budget === null ? '' : ` of ${formatCount(budget)}`}`,
    `  events  ${formatCount(events.kept)} kept${counted(events)}`,
    ...plan.losses.map((loss) => `          ${lossLine(loss)}`),
  ]
  if (over)
    lines.push(`open it: ion --resume ${over.id.slice(0, 8)}`, `undo:    ion handover undo ${over.id.slice(0, 8)}`)
  return `${plain(lines.join('\n'))}\n`
}

function counted({ changed, shortened, text, dropped }: HandoverPlan['events']): string {
  const counts = [
    [changed, 'changed'],
    [shortened, 'shortened'],
    [text, 'as text'],
    [dropped, 'dropped'],
  ] as const
  return counts.flatMap(([count, name]) => (count === 0 ? [] : [`, ${formatCount(count)} ${name}`])).join('')
}

const OUTCOMES = { changed: 'changed', shortened: 'shortened', text: 'as text', dropped: 'dropped' } as const

function lossLine({ outcome, what, count, reason }: Loss): string {
  return `${OUTCOMES[outcome]}: ${formatCount(count)} × ${what}, ${reason}`
}
