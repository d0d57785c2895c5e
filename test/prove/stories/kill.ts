import type { Checks } from '../checks.ts'
import { equal, holds } from '../checks.ts'
import { killAll } from '../processes.ts'
import { historyHolds, promptsRead } from '../questions.ts'
import type { Output, Scene } from '../scene.ts'
import { until } from '../until.ts'

export async function killAgentInAnswer(scene: Scene, checks: Checks) {
  await checks.that('kill -9 of the agent in its answer, then warm', async () => {
    const { running } = await inTheMiddle(scene, 'HANG in the answer', () => scene.model.log.turns().length > 0)
    killAll(scene.agentProcesses())
    await running
    await continues(scene, 'HANG in the answer')
  })
}

export async function killAgentInTool(scene: Scene, checks: Checks) {
  await checks.that('kill -9 of the agent in a tool, then warm', async () => {
    const isSleeping = () => scene.agentProcesses().some(({ command }) => /^sleep\b/.test(command))
    const { running } = await inTheMiddle(scene, 'SLOWTOOL please', isSleeping)
    killAll(scene.agentProcesses())
    await running
    await continues(scene, 'SLOWTOOL please')
  })
}

export async function killIon(scene: Scene, checks: Checks) {
  await checks.that('kill -9 of Ion, then warm', async () => {
    const { running, pid } = await inTheMiddle(scene, 'HANG without Ion', () => scene.model.log.turns().length > 0)
    process.kill(pid, 'SIGKILL')
    await running
    const left = scene.agentProcesses()
    if (left.length > 0) {
      const { code, err } = await scene.ion(['run', scene.subject.agent, '--headless', 'HANG without Ion'])
      equal(`exit code while the agent still runs (${err})`, code, 4)
      killAll(left)
    }
    await continues(scene, 'HANG without Ion')
  })
}

/** Starts a turn that does not end. */
async function inTheMiddle(
  scene: Scene,
  prompt: string,
  isThere: () => boolean,
): Promise<{ running: Promise<Output>; pid: number }> {
  let pid = 0
  const running = scene.ion(scene.runArgs(['--headless', prompt]), { onStart: (started) => (pid = started) })
  await until('the middle of the turn', 60_000, isThere)
  await until('the launch in the ledger', 10_000, () => scene.agentProcesses().length > 0)
  return { running, pid }
}

/** The same session continues, with the prompt in it once, and the agent is sent it. */
async function continues(scene: Scene, prompt: string) {
  const { subject, model } = scene
  model.script = [{ when: prompt, say: 'recovered' }]
  const launches = (): number => scene.ledger().filter(({ type }) => type === 'launching').length
  const before = launches()
  const again = await scene.ion(['run', subject.agent, '--headless', prompt])
  // Stored: the turn was interrupted, and the user is asked. Not stored: it was not delivered, and is sent now.
  const isInterrupted = again.code === 1 && launches() === before
  holds(
    'neither interrupted nor delivered',
    isInterrupted || (again.code === 0 && again.out.includes('recovered')),
    again,
  )
  if (!isInterrupted) equal('starts', launches() - before, 1)
  const next = await scene.ion(['run', subject.agent, '--headless', '--send', 'and continue'])
  equal(`exit code of the next turn (${next.err})`, next.code, 0)
  historyHolds(scene, prompt, 'and continue')
  equal('prompts', await promptsRead(scene), [[prompt, 'and continue']])
}
