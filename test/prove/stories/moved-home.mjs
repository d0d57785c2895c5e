import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { equal } from '../checks.mjs'
import { historyHolds, promptsRead } from '../questions.mjs'
import { Scene } from '../scene.mjs'

const FIRST = 'Before the move'

/**
 * A session in a home that is gone, from a snapshot into another one with its project at another path.
 * @param {Scene} scene @param {import('../checks.mjs').Checks} checks
 */
export async function movedHome(scene, checks) {
  const { subject, program } = scene
  const file = join(scene.root, 'sessions.tar.gz')
  const there = await Scene.make({
    root: join(scene.root, 'moved'),
    subject,
    ion: program,
    folder: MOVED_FOLDER,
  })
  try {
    await checks.that('a home that has moved: from a snapshot, resumed in the new one', async () => {
      await well(scene, scene.runWords(['--headless', FIRST]))
      await well(scene, ['snapshot', 'create', file, '--agent', subject.agent])
      rmSync(scene.world.home, { recursive: true })
      await well(there, ['snapshot', 'restore', file])
      const rows = await there.sessions()
      equal(
        'sessions',
        rows.map(({ cwd, resumable }) => ({ cwd, resumable })),
        [{ cwd: there.project, resumable: true }],
      )
      const words = ['--resume', rows[0]?.id, '--headless', '--send', 'After the move']
      await well(there, [...words, '--', ...there.world.args.headless])
      historyHolds(there, FIRST, 'After the move')
      equal('prompts', await promptsRead(there), [[FIRST, 'After the move']])
    })
  } finally {
    await there.close()
  }
}

/** The project is in the home, so that it moves along. */
export const MOVED_FOLDER = join('home', 'shop')

/** @param {Scene} scene @param {string[]} words */
async function well(scene, words) {
  const { code, err } = await scene.ion(words)
  equal(`exit code of ion ${words[0]} (${err})`, code, 0)
}
