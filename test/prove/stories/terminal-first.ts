import type { Checks } from '../checks.ts'
import { equal } from '../checks.ts'
import { eventsOf, historyHolds, promptsRead, textOf } from '../questions.ts'
import type { Scene } from '../scene.ts'
import { until } from '../until.ts'

const FIRST = 'Begin in a terminal, please'

/** A session that begins in a terminal, is ended by the closing workspace, and is opened again. */
export async function terminalFirst(scene: Scene, checks: Checks) {
  const { model, subject } = scene

  await checks.that('cold, in a terminal', async () => {
    const terminal = scene.terminal(scene.runArgs([FIRST], 'terminal'))
    const seen = () => scene.ledger().some((entry) => entry.type === 'prompt' && entry.state === 'seen')
    await until('the prompt in the transcript', 90_000, seen).catch((error) => {
      throw new Error(`${error.message}; the screen:\n${terminal.text()}`)
    })
    await until('the answer', 30_000, async () => (await answers(scene)).some((text) => text.includes('answer')))
    equal('times that the prompt was sent', model.log.promptCount(FIRST), 1)
    await terminal.end()
  })

  await checks.that('cold in a terminal, warm in a terminal', async () => {
    const before = model.log.turns().length
    const terminal = scene.terminal(['run', subject.agent, FIRST])
    await terminal.ready()
    equal(`turns without typing; the screen:\n${terminal.text()}\n`, model.log.turns().length, before)
    await terminal.say('SECOND thing', () => model.log.promptCount('SECOND thing') > 0)
    historyHolds(scene, FIRST, 'SECOND thing')
    await until('the prompt in the store', 20_000, async () => (await promptsRead(scene)).flat().length > 1)
    await terminal.end()
    equal('prompts', await promptsRead(scene), [[FIRST, 'SECOND thing']])
  })
}

async function answers(scene: Scene) {
  const [row] = await scene.sessions()
  if (!row) return []
  return eventsOf(await scene.events(row.id), 'assistant').map(({ content }) => textOf(content))
}
