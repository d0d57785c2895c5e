import { startInBackground } from '../../../host/background-process.ts'
import { type FailedReport, reportedError } from '../../../host/start-report.ts'
import { IonError } from '../../../platform/error.ts'
import { leaseHolder } from '../../../platform/lease.ts'
import { identityOf, isAlive, signalProcess, waitForExit } from '../../../platform/process.ts'
import type { ReplicaSettings } from '../../../replica/open.ts'
import type { ReplicateRequest } from '../../../replica/replicate.ts'
import { readReplicaStatus, replicaLease } from '../../../replica/status.ts'
import { typed } from '../../../run/decide.ts'
import type { RunRequest } from '../../../run/request.ts'

export interface ReplicaProcessRequest extends ReplicateRequest {
  readonly agent: string
}

/** What the background process reports: messages for the user, then whether the task may be started. */
export type ReplicaReport =
  | { readonly type: 'notice'; readonly line: string }
  | { readonly type: 'ready' }
  | FailedReport

/** Another workspace may have to fall silent first, and a large session takes its time. */
const READY_MS = 15 * 60_000

/** Starts to keep the task in a store, and restores it from there if it is not here. Returns when it may be started. */
export async function startReplica(
  { agent, task, command, mode, steal }: RunRequest,
  settings: ReplicaSettings,
  notice: (line: string) => void,
): Promise<void> {
  const request: ReplicaProcessRequest = {
    agent: agent.id,
    task,
    settings,
    command: typed({ command, mode }),
    steal,
    starter: identityOf(process.pid),
  }
  const { report } = await startInBackground<ReplicaReport>({
    program: process.argv[1]!,
    command: 'replica-process',
    request,
    timeoutMs: READY_MS,
    isFinal: (one) => {
      if (one.type === 'notice') notice(one.line)
      return one.type !== 'notice'
    },
    onTimeout: () => new IonError('failed', `${settings.address} does not get ready`, { hint: 'ion replica status' }),
    onExit: (how) =>
      new IonError('failed', `the process that keeps the replica ended (${how})`, { hint: 'ion doctor' }),
  })
  if (report.type === 'failed') throw reportedError(report)
}

/** A little more than the process allows itself for the last state. */
const FINISH_MS = 12_000

/** After the agent has ended: waits until its last state is in the store. Says so if it is not. */
export async function finishReplica(taskFolder: string, notice: (line: string) => void): Promise<void> {
  const holder = leaseHolder(replicaLease(taskFolder))
  if (holder) {
    signalProcess(holder, 'SIGTERM')
    await waitForExit([holder], FINISH_MS)
  }
  const status = readReplicaStatus(taskFolder)
  if (!status || status.state === 'ended') return
  if (holder && isAlive(holder)) return
  const why = status.problem ?? 'its process ended'
  if (status.state === 'fenced') notice(`not stored in ${status.address} any more: ${why}`)
  else notice(`the last state is not in ${status.address}: ${why}; the next start stores it`)
}
