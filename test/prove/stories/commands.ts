import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Checks } from '../checks.ts'
import { equal, holds } from '../checks.ts'
import type { Scene } from '../scene.ts'
import { until } from '../until.ts'

const FILE = 'made-by-a-shell'

/** Beginnings that agents know as commands of their own, of the shell, names of files or notes. */
const PROMPTS = ['/init', '/clear the table', `!touch ${FILE}`, '@README.md is what I mean', '# remember the milk']

/** A prompt is text, whatever it begins with: it arrives as it is, or it is refused and nothing happens. */
export async function commands(scene: Scene, checks: Checks) {
  for (const mode of ['headless', 'detach'] as const) {
    await checks.that(`prompts that look like commands, --${mode}: sent as text or refused`, async () => {
      for (const [index, prompt] of PROMPTS.entries()) await arrivesOrIsRefused(scene, mode, prompt, `${mode}-${index}`)
    })
  }
}

async function arrivesOrIsRefused(scene: Scene, mode: 'headless' | 'detach', prompt: string, task: string) {
  const { model } = scene
  const before = model.log.turns().length
  const { code, out, err } = await scene.ion(
    scene.runArgs([`--${mode}`, '--task', task, prompt], mode === 'headless' ? 'headless' : 'terminal'),
  )
  const texts = () =>
    model.log
      .turns()
      .slice(before)
      .flatMap(({ messages }) => messages.filter(({ role }) => role === 'user').map(({ text }) => text))
  if (code !== 0) {
    equal(`stdout of "${prompt}"`, out, '')
    holds(`"${prompt}" is refused without a reason`, err.includes('as a command, not as a prompt'), err)
    equal(`what was sent for "${prompt}"`, texts(), [])
  } else {
    await until(`"${prompt}" at the model`, 120_000, () => texts().length > 0).catch(async (error) => {
      throw new Error(`${error.message}; its screen: ${(await scene.ion(['logs', task])).out.slice(-600)}`)
    })
    // Agents wrap a prompt in context, and some attach the file that it names.
    const isText = texts().some((text) => text.split('\n').some((line) => line.trim() === prompt))
    holds(`"${prompt}" did not arrive as it was`, isText, texts())
  }
  holds(`"${prompt}" ran in a shell`, !existsSync(join(scene.project, FILE)))
  if (mode === 'detach' && code === 0) equal('exit code of ion stop', (await scene.ion(['stop', task])).code, 0)
}
