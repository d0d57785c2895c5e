import { bad, type Check, ok, warn } from '../../../doctor/check.ts'
import { labelWithProject } from '../../../host/label.ts'
import { IonError } from '../../../platform/error.ts'
import { pluralize } from '../../../platform/format-count.ts'
import { tilde } from '../../../platform/home.ts'
import type { CheckedSettings, KeptTask } from '../../../replica/diagnose.ts'
import type { ReplicaSettings } from '../../../replica/open.ts'
import { DEFAULT_TASK } from '../../../run/task.ts'
import type { Context } from '../../command.ts'
import { replicaText } from '../../replica-text.ts'
import { shellLine } from '../../shell-line.ts'
import { replicaSettings } from '../run/replica-settings.ts'

const NAME = 'replica'

/** The settings of replicas and the tasks that are kept in one. Nothing is asked of a store. */
export async function replicaChecks(agent: string | undefined, context: Context): Promise<Check[]> {
  const { io } = context
  const { checkSettings, keptTasks } = await import('../../../replica/diagnose.ts')
  const settings = replicaSettings({}, context)
  const checks: Check[] = []
  let checked: CheckedSettings | undefined
  try {
    checked = settings && (await checkSettings(settings, io))
  } catch (error) {
    if (!(error instanceof IonError)) throw error
    checks.push(bad(NAME, error.message, error.hint ?? 'ion config list shows where it is set'))
  }
  if (checked) checks.push(settingsCheck(checked, context))
  const kept = await keptTasks(settings, checked?.store, io)
  const chosen = agent === undefined ? kept : kept.filter(({ task }) => task.agent === agent)
  const problems = chosen.flatMap((one) => taskProblems(one, settings, checked, context))
  checks.push(...problems)
  if (chosen.length > 0 && problems.length === 0) checks.push(ok(NAME, `${pluralize(chosen.length, 'task')} stored`))
  return checks
}

function settingsCheck({ store, keySource }: CheckedSettings, { io }: Context): Check {
  const how = keySource === undefined ? 'not encrypted' : `encrypted with the key of ${tilde(keySource, io)}`
  return ok(NAME, `${store.address}, ${how}; the store itself was not asked: ion replica status does that`)
}

function taskProblems(
  { task, address, status, isHalf, isOpenedByKey }: KeptTask,
  settings: ReplicaSettings | undefined,
  checked: CheckedSettings | undefined,
  { io }: Context,
): Check[] {
  const label = labelWithProject(task, io)
  const isSet = checked?.store.address === address
  const option = isSet ? [] : ['--replica', address]
  const name = task.name === DEFAULT_TASK ? [] : ['--task', task.name]
  const start = `in ${tilde(task.project, io)}: ${shellLine(['ion', 'run', task.agent, ...name, ...option])}`
  const checks: Check[] = []
  const report = (detail: string, fix: string): void =>
    void checks.push(warn(NAME, `${label}: ${detail}`, fix, task.agent))
  if (isHalf) report(`it was being restored from ${address} when that was interrupted`, `${start} restores it`)
  if (isOpenedByKey === false) {
    const fix = 'set the key of that store; if it was changed with ion replica rekey, the next start finds out'
    report(`the key that is set does not open ${address} as it was when the task was last stored`, fix)
  }
  // Whoever names the store for each start has none set.
  if (settings && checked && !isSet) {
    const fix = `${start} stores it there; without that option, it goes to ${checked.store.address} from its next start on`
    report(`it is kept in ${address}, which is not the store that is set`, fix)
  }
  const isBehind = status && !status.is_running && (status.state === 'behind' || status.state === 'stored')
  if (isBehind || status?.is_used_since) {
    const why = status.problem === null ? '' : `: ${status.problem}`
    report(`its last state is not in ${address}${why}`, `${start} stores it`)
  } else if (
    status?.state === 'fenced' ||
    (status?.is_running && status.state === 'behind' && status.problem !== null)
  ) {
    const fix =
      status.state === 'fenced'
        ? `ion replica restore ${task.agent} --replace takes the state of the other workspace, and archives this one`
        : 'the agent works on, and it is stored as soon as the store answers; ion ps shows it'
    report(replicaText(status, io.now()), fix)
  }
  return checks
}
