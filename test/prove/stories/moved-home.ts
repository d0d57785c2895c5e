import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Checks } from '../checks.ts'
import { equal } from '../checks.ts'
import { historyHolds, promptsRead } from '../questions.ts'
import { Scene } from '../scene.ts'

const FIRST = 'Before the move'

/** A session whose home is gone is restored from a snapshot into another home, with its project at another path. */
export async function movedHome(scene: Scene, checks: Checks) {
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
      await succeed(scene, scene.runArgs(['--headless', FIRST]))
      await succeed(scene, ['snapshot', 'create', file, '--agent', subject.agent])
      rmSync(scene.world.home, { recursive: true })
      await succeed(there, ['snapshot', 'restore', file])
      const rows = await there.sessions()
      equal(
        'sessions',
        rows.map(({ cwd, resumable }) => ({ cwd, resumable })),
        [{ cwd: there.project, resumable: true }],
      )
      const args = ['--resume', rows[0]?.id ?? '', '--headless', '--send', 'After the move']
      await succeed(there, [...args, '--', ...there.world.args.headless])
      historyHolds(there, FIRST, 'After the move')
      equal('prompts', await promptsRead(there), [[FIRST, 'After the move']])
    })
  } finally {
    await there.close()
  }
}

/** The project is in the home, so that it moves too. */
export const MOVED_FOLDER = join('home', 'shop')

async function succeed(scene: Scene, args: string[]): Promise<void> {
  const { code, err } = await scene.ion(args)
  equal(`exit code of ion ${args[0]} (${err})`, code, 0)
}
