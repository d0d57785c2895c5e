import { equal, holds } from '../checks.mjs'
import { killAll } from '../processes.mjs'
import { historyHolds, promptsRead } from '../questions.mjs'
import { until } from '../wait-until.mjs'

/** @typedef {import('../scene.mjs').Scene} Scene @typedef {import('../checks.mjs').Checks} Checks */

/** @param {Scene} scene @param {Checks} checks */
export async function killAgentInAnswer(scene, checks) {
  await checks.that('kill -9 of the agent in its answer, then warm', async () => {
    const { running } = await inTheMiddle(scene, 'HANG in the answer', () => scene.model.log.turns().length > 0)
    killAll(scene.agentProcesses())
    await running
    await goesOn(scene, 'HANG in the answer')
  })
}

/** @param {Scene} scene @param {Checks} checks */
export async function killAgentInTool(scene, checks) {
  await checks.that('kill -9 of the agent in a tool, then warm', async () => {
    const isSleeping = () => scene.agentProcesses().some(({ command }) => /^sleep\b/.test(command))
    const { running } = await inTheMiddle(scene, 'SLOWTOOL please', isSleeping)
    killAll(scene.agentProcesses())
    await running
    await goesOn(scene, 'SLOWTOOL please')
  })
}

/** @param {Scene} scene @param {Checks} checks */
export async function killIon(scene, checks) {
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
    await goesOn(scene, 'HANG without Ion')
  })
}

/** Starts a turn that does not end by itself. @param {Scene} scene @param {string} prompt @param {() => boolean} isThere */
async function inTheMiddle(scene, prompt, isThere) {
  let pid = 0
  const running = scene.ion(scene.runWords(['--headless', prompt]), { onStart: (started) => (pid = started) })
  await until('the middle of the turn', 60_000, isThere)
  await until('the launch in the ledger', 10_000, () => scene.agentProcesses().length > 0)
  return { running, pid }
}

/** The same session, the prompt in it once, and the agent knows it. @param {Scene} scene @param {string} prompt */
async function goesOn(scene, prompt) {
  const { subject, model } = scene
  model.script = [{ when: prompt, say: 'recovered' }]
  const again = await scene.ion(['run', subject.agent, '--headless', prompt])
  // Stored: the turn was cut off, and the user is asked. Not stored: it was still due, and is sent now.
  const isCutOff = again.code === 1 && again.err.includes('was cut off')
  holds('neither cut off nor delivered', isCutOff || (again.code === 0 && again.out.includes('recovered')), again)
  if (!isCutOff) equal('deliveries', again.err.match(/still due|before the prompt arrived/g)?.length, 1)
  const next = await scene.ion(['run', subject.agent, '--headless', '--send', 'and go on'])
  equal(`exit code of the next turn (${next.err})`, next.code, 0)
  historyHolds(scene, prompt, 'and go on')
  equal('prompts', await promptsRead(scene), [[prompt, 'and go on']])
}
