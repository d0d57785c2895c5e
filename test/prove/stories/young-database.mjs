import { existsSync, statSync } from 'node:fs'
import { equal, holds } from '../checks.mjs'
import { historyHolds } from '../questions.mjs'

/**
 * A young database of Goose has everything in its -wal, and the main file holds no table yet.
 * @param {import('../scene.mjs').Scene} scene @param {import('../checks.mjs').Checks} checks
 */
export async function youngDatabase(scene, checks) {
  await checks.that('a young database that is all in its WAL survives', async () => {
    const first = await scene.ion(scene.runWords(['--headless', 'the first thing']))
    equal(`exit code (${first.err})`, first.code, 0)
    const [row] = await scene.sessions()
    holds('the database is not all in its WAL', statSync(row?.path).size <= 4096 && existsSync(`${row?.path}-wal`), row)
    const next = await scene.ion(['run', scene.subject.agent, '--headless', '--send', 'the next thing'])
    equal(`exit code (${next.err})`, next.code, 0)
    historyHolds(scene, 'the first thing', 'the next thing')
  })
}
