import type { Checks } from '../checks.ts'
import { equal, holds } from '../checks.ts'
import { historyHolds, promptsRead } from '../questions.ts'
import type { Scene } from '../scene.ts'

const TASK = 'Before the rename'
const NEXT = 'After the rename'
const LAST = 'Typed after the rename'

/** The project's folder is renamed between two starts. */
export async function rename(scene: Scene, checks: Checks) {
  const { model, subject } = scene
  await checks.that('a renamed project: the same command resumes its session and sends nothing', async () => {
    const cold = await scene.ion(scene.runArgs(['--headless', TASK]))
    equal(`exit code of the cold start (${cold.err})`, cold.code, 0)
    const [before] = await scene.sessions()
    scene.renameProject(`${scene.project}-renamed`)
    const again = await scene.ion(scene.runArgs(['--headless', TASK]))
    equal(`exit code of the same command (${again.err})`, again.code, 0)
    holds('it does not report the move', again.err.includes('the project was moved'), again.err)
    equal('answer', again.out.trim(), cold.out.trim())
    equal('times that the prompt was sent', model.log.promptCount(TASK), 1)
    equal(
      'sessions',
      (await scene.sessions()).map(({ id, cwd }) => ({ id, cwd })),
      [{ id: before?.id, cwd: before?.cwd === null ? null : scene.project }],
    )
  })

  await checks.that('a renamed project: the next prompt goes to the same session, with its history', async () => {
    const { code, err } = await scene.ion(scene.runArgs(['--headless', '--send', NEXT]))
    equal(`exit code (${err})`, code, 0)
    historyHolds(scene, TASK, NEXT)
    equal('times that the first prompt was sent', model.log.promptCount(TASK), 1)
    equal('prompts', await promptsRead(scene), [[TASK, NEXT]])
  })

  await checks.that(
    'a renamed project, in a terminal: nothing is sent until someone types, then all of it',
    async () => {
      // The new folder is one that the agent may ask about.
      const { out } = await scene.ion(['run', subject.agent, '--prepare', 'list'])
      const asked = [...out.matchAll(/^(\S+): it /gm)].map(([, name]) => name)
      if (asked.length > 0) await scene.ion(['run', subject.agent, '--prepare', asked.join(',')])
      const before = model.log.turns().length
      const terminal = scene.terminal(['run', subject.agent])
      await terminal.ready()
      equal(`turns without typing; the screen:\n${terminal.text()}\n`, model.log.turns().length, before)
      await terminal.say(LAST, () => model.log.promptCount(LAST) > 0)
      historyHolds(scene, TASK, NEXT, LAST)
      await terminal.end()
    },
  )
}
