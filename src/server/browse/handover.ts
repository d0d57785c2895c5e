import type { Located } from '../../catalog/read-session.ts'
import type { SessionRow } from '../../catalog/session-row.ts'
import { carryOut, type HandoverOptions, planHandover } from '../../handover/hand-over.ts'
import { handoverRequest } from '../../handover/request.ts'
import { handoverTargets } from '../../handover/targets.ts'
import type { Io } from '../../platform/io.ts'
import type { HandoverAnswer, HandoverBody, HandoverTargets } from './contract.ts'

/** The agents in which a session can be continued, with the commands that do it in a terminal. */
export function targetsOf({ agent }: SessionRow, reference: string, io: Io): HandoverTargets {
  const targets = handoverTargets(io)
  return {
    targets: targets
      .filter((one) => one.id !== agent)
      .map((one) => ({ agent: one.id, title: one.title, command: `ion --resume ${reference} --in ${one.id}` })),
    fork_command: targets.some((one) => one.id === agent) ? `ion fork ${reference}` : null,
  }
}

/** Writes the session for another agent, or for its own (a fork), and starts nothing. */
export async function handOver(source: Located, { agent, at, dry_run }: HandoverBody, io: Io): Promise<HandoverAnswer> {
  const options: HandoverOptions = {
    as: agent === undefined ? 'native' : 'auto',
    tools: 'keep',
    thinking: 'drop',
    budget: undefined,
    extent: at === undefined ? {} : { until: { event: at } },
    again: false,
    incomplete: false,
    experimental: false,
  }
  const plan = planHandover(await handoverRequest(source, agent, options, false, io), io)
  const over = dry_run || !plan.written ? undefined : carryOut(plan, io)
  const { text, ...events } = plan.events
  return {
    act: over ? ACTS[plan.act] : 'none',
    mode: plan.mode,
    reason: plan.reason,
    id: over?.id ?? null,
    events: { ...events, as_text: text },
    lossy: plan.losses,
    tokens_estimated: plan.tokens,
    resume: over ? `ion --resume ${over.id}` : null,
    brief: plan.brief ?? null,
  }
}

const ACTS = { new: 'written', same: 'existing', rest: 'completed' } as const
