import type { Located } from '../../catalog/read-session.ts'
import { handoverTargets } from '../../handover/targets.ts'
import { IonError } from '../../platform/error.ts'
import type { Io } from '../../platform/io.ts'
import { planResume } from '../../run/resume.ts'
import type { HandoverAnswer, HandoverBody, ResumeRequest } from './contract.ts'
import { openTerminal, requireTerminal } from './terminal.ts'

export interface ResumeOptions {
  /** The installed program, `ion.cjs`. */
  readonly program: string
  readonly io: Io
  /** Of this session; without an agent, a fork. */
  readonly handOver: (body: HandoverBody) => Promise<HandoverAnswer>
}

/**
 * Opens a terminal with the session, a fork of it, or in another agent. What `ion --resume` would refuse is refused here: there, its
 * window would close before anybody has read why.
 */
export async function resumeInTerminal(
  session: Located,
  { in: into, fork = false }: ResumeRequest,
  { program, io, handOver }: ResumeOptions,
): Promise<void> {
  if (fork && into !== undefined) throw new IonError('usage', 'fork and in cannot be combined', { hint: 'use one' })
  // Before a fork is written that nothing would open.
  requireTerminal(io)
  const resume = [process.execPath, program, '--resume']
  if (into !== undefined) {
    if (!handoverTargets(io).some(({ id }) => id === into)) {
      throw new IonError('usage', `"${into}" is not an agent that can continue it`)
    }
    await handOver({ agent: into, dry_run: true })
    return openTerminal([...resume, session.head.id, '--in', into], io)
  }
  if (!fork) {
    await planResume(session, [], io)
    return openTerminal([...resume, session.head.id], io)
  }
  const { id, reason } = await handOver({})
  if (id === null) throw new IonError('refused', 'this session cannot be forked', { hint: reason })
  return openTerminal([...resume, id], io)
}
