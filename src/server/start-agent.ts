import type { Agent } from '../agents/agent.ts'
import { taskLabel } from '../host/label.ts'
import type { Size } from '../host/screen.ts'
import { ensureRunning, type StartOutcome } from '../host/start.ts'
import { IonError, messageOf } from '../platform/error.ts'
import { plain } from '../platform/plain-text.ts'
import { DEFAULT_TASK, type Task } from '../run/task.ts'

interface Started {
  readonly agent: Agent
  readonly task: Task
}

export interface StartAgentOptions extends Started {
  /** Of the user who started the server. */
  readonly cwd: string
  /** The installed program, `ion.cjs`. */
  readonly program: string
  /** Of the terminal. */
  readonly size: Size | undefined
  /** For an agent that was started without arguments. */
  readonly defaultArgs: readonly string[]
}

/** The command that opens the task, as it is typed. */
export function runCommand({ agent, task }: Started): string {
  return ['ion run', agent.id, ...(task.name === DEFAULT_TASK ? [] : ['--task', task.name])].join(' ')
}

/**
 * Starts an agent that has ended again, as `ion run <agent> --detach` does: its session is resumed with the arguments of last
 * time, and no prompt is sent. Concurrent calls share one start.
 */
export function agentStarter(options: StartAgentOptions): () => Promise<void> {
  let starting: Promise<void> | undefined
  return () => {
    starting ??= start(options).finally(() => {
      starting = undefined
    })
    return starting
  }
}

async function start(options: StartAgentOptions): Promise<void> {
  const { agent, task, cwd, program, size, defaultArgs } = options
  const outcome = await ensureRunning(
    {
      agent,
      command: runCommand(options),
      cwd,
      mode: 'detached',
      prompt: undefined,
      send: false,
      isNew: false,
      restore: false,
      steal: false,
      onOtherPrompt: 'resume',
      task,
      args: undefined,
      defaultArgs,
      adopt: undefined,
      agentapi: undefined,
    },
    // Its notices are in the task's log.
    { program, size, notice: () => {} },
  )
  if (outcome.how === 'ended') throw endedAtOnce(options, outcome)
}

/** The last line of its screen usually says why. */
function endedAtOnce({ agent, task }: Started, { code, screen }: StartOutcome & { how: 'ended' }): IonError {
  const last = messageOf(plain(screen).trim().split('\n').at(-1))
  const what = `${agent.title} ended at once with exit code ${code}`
  return new IonError('failed', last === '' ? what : `${what}: ${last}`, { hint: `ion logs ${taskLabel(task)}` })
}
