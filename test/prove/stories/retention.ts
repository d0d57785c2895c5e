import type { Checks } from '../checks.ts'
import { equal } from '../checks.ts'
import { eventsOf } from '../questions.ts'
import type { Scene } from '../scene.ts'

const RESUMES = 5
const APART_MS = 14_000

/** Gemini's own cleanup deletes a session that was resumed in a later minute, at the next start of another one. */
export async function retention(scene: Scene, checks: Checks) {
  await checks.that('five resumes over more than a minute lose no session', async () => {
    const run = async (...args: string[]): Promise<void> => {
      const { code, err } = await scene.ion(scene.runArgs(['--headless', ...args]))
      equal(`exit code of ${args.join(' ')} (${err})`, code, 0)
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
    const prompts = eventsOf(await scene.events(first?.id ?? ''), 'user').length
    equal('prompts of the first session', prompts, 1 + RESUMES)
  })
}
