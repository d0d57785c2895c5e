import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { findAgent } from '../../../src/agents/find.ts'
import type { Checks } from '../checks.ts'
import { equal } from '../checks.ts'
import { historyHolds, promptsRead } from '../questions.ts'
import { Scene } from '../scene.ts'

const FIRST = 'Before the move'
const OWN = 'Of the new home'
const NEXT = 'After all that'

/** A session whose home is gone is restored from a snapshot into another home, with its project at another path. */
export async function movedHome(scene: Scene, checks: Checks) {
  const { subject, program } = scene
  const isNumbered = findAgent(subject.agent).backup?.idColumns !== undefined
  const file = join(scene.root, 'sessions.tar.gz')
  const there = await Scene.make({
    root: join(scene.root, 'moved'),
    subject,
    ion: program,
    folder: MOVED_FOLDER,
    checks,
  })
  try {
    await checks.that('a home that has moved: from a snapshot, resumed in the new one', async () => {
      await succeed(scene, scene.runArgs(['--headless', FIRST]))
      await succeed(scene, ['snapshot', 'create', file, '--agent', subject.agent])
      rmSync(scene.world.home, { recursive: true })
      // Where the agent numbers its sessions, the new home already has one with the same number.
      if (isNumbered) await succeed(there, there.runArgs(['--headless', OWN]))
      const own = await there.sessions()
      equal('sessions of the new home', own.length, isNumbered ? 1 : 0)
      await succeed(there, ['snapshot', 'restore', file])
      const rows = (await there.sessions()).filter(({ id }) => id !== own[0]?.id)
      equal(
        'sessions',
        rows.map(({ cwd, resumable }) => ({ cwd, resumable })),
        [{ cwd: there.project, resumable: true }],
      )
      const args = ['--resume', rows[0]?.id ?? '', '--headless', '--send', 'After the move']
      await succeed(there, [...args, '--', ...there.world.args.headless])
      historyHolds(there, FIRST, 'After the move')
      if (isNumbered) await succeed(there, there.runArgs(['--task', 'next', '--headless', NEXT]))
      const others = isNumbered ? [[OWN], [NEXT]] : []
      equal('prompts', (await promptsRead(there)).sort(), [[FIRST, 'After the move'], ...others].sort())
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
