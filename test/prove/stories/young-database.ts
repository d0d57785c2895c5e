import { existsSync, statSync } from 'node:fs'
import type { Checks } from '../checks.ts'
import { equal, holds } from '../checks.ts'
import { historyHolds } from '../questions.ts'
import type { Scene } from '../scene.ts'

/** A new SQLite database has everything in its -wal, and the main file has no table yet. */
export async function youngDatabase(scene: Scene, checks: Checks) {
  await checks.that('a young database that is all in its WAL survives', async () => {
    const first = await scene.ion(scene.runArgs(['--headless', 'the first thing']))
    equal(`exit code (${first.err})`, first.code, 0)
    const [row] = await scene.sessions()
    holds(
      'the database is not all in its WAL',
      row !== undefined && statSync(row.path).size <= 4096 && existsSync(`${row.path}-wal`),
      row,
    )
    const next = await scene.ion(['run', scene.subject.agent, '--headless', '--send', 'the next thing'])
    equal(`exit code (${next.err})`, next.code, 0)
    historyHolds(scene, 'the first thing', 'the next thing')
  })
}
