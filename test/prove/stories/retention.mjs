import { equal } from '../checks.mjs'

const RESUMES = 5
const APART_MS = 14_000

/**
 * Gemini's own cleanup deletes a session that was resumed in a later minute, at the next start of another one.
 * @param {import('../scene.mjs').Scene} scene @param {import('../checks.mjs').Checks} checks
 */
export async function retention(scene, checks) {
  await checks.that('five resumes over more than a minute lose no session', async () => {
    const run = async (/** @type {string[]} */ ...words) => {
      const { code, err } = await scene.ion(scene.runWords(['--headless', ...words]))
      equal(`exit code of ${words.join(' ')} (${err})`, code, 0)
    }
    await run('the first session')
    for (let round = 1; round <= RESUMES; round++) {
      await new Promise((resolve) => setTimeout(resolve, APART_MS))
      await run('--send', `turn ${round}`)
      await run('--task', `other-${round}`, `another session ${round}`)
    }
    const rows = await scene.sessions()
    equal('sessions', rows.length, 1 + RESUMES)
    const [first] = rows.filter(({ title }) => title === 'the first session')
    const prompts = (await scene.events(first?.id)).filter(({ type }) => type === 'user').length
    equal('prompts of the first session', prompts, 1 + RESUMES)
  })
}
