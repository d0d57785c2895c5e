import { execFileSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { TaskRow } from '../../../src/host/tasks.ts'
import type { Checks } from '../checks.ts'
import { equal, holds } from '../checks.ts'
import type { Output, Scene } from '../scene.ts'
import { until } from '../until.ts'

const HERE = 'FIRST project, please'
const THERE = 'SECOND project, please'

/** The same task name in two projects, in the background, starting at the same instant in a fresh home. */
export async function twoProjects(scene: Scene, checks: Checks) {
  const { model, project: here } = scene
  const there = join(scene.root, 'bakery')
  mkdirSync(there)
  execFileSync('git', ['init', '-q', there], { env: { PATH: process.env.PATH, HOME: scene.root } })
  await prepare(scene, there)

  await checks.that('two first starts at the same instant in a fresh home: both run, each prompt once', async () => {
    const both = await Promise.all([
      scene.ion(scene.runArgs(['--detach', HERE], 'terminal')),
      scene.ion(scene.runArgs(['--detach', THERE], 'terminal'), { cwd: there }),
    ])
    for (const { code, out, err } of both) {
      holds(`not started (${err})`, code === 0 && /^(?:started|still starting) /.test(out), out)
    }
    for (const prompt of [HERE, THERE]) {
      await until(`"${prompt}" at the model`, 60_000, () => model.log.promptCount(prompt) > 0).catch(async (error) => {
        throw new Error(`${error.message}; ${await whatRuns(scene)}`)
      })
    }
    // A reopened agent, or one that dies late.
    await until('both in the store', 60_000, async () => (await rows(scene)).every(({ session_id }) => session_id))
    equal('running', projectsOf(await rows(scene)), [there, here].sort())
    equal(
      'times sent',
      [HERE, THERE].map((prompt) => model.log.promptCount(prompt)),
      [1, 1],
    )
  })

  await checks.that('stop in one project leaves the other; elsewhere only by session id', async () => {
    const stopped = await scene.ion(['stop'], { cwd: there })
    equal(`exit code (${stopped.err})`, stopped.code, 0)
    holds('the project is not named', stopped.out.includes(basename(there)), stopped.out)
    equal('running', projectsOf(await rows(scene)), [here])
    for (const words of [[], [scene.subject.agent]]) {
      const { code, out } = await scene.ion(['stop', ...words], { cwd: there })
      equal('exit code when nothing runs here', code, 0)
      holds('what runs elsewhere is not listed', out.includes(basename(here)), out)
    }
    const wrong = await scene.ion(['stop', 'main', 'nonsense'], { cwd: there })
    equal('exit code of a wrong name', wrong.code, 3)
    const [row] = await rows(scene)
    equal('running', row?.project, here)
    const byId = await scene.ion(['stop', row?.session_id ?? ''], { cwd: there })
    equal(`exit code by id (${byId.err})`, byId.code, 0)
    equal('running', await rows(scene), [])
  })
}

const DYING = 'AFTER the failed start, please'

/** An agent that ends while it starts, since it does not know an option. */
export async function failedStart(scene: Scene, checks: Checks) {
  const { model, subject } = scene
  await checks.that(
    'a failed start in the background: reported, listed as failed, its prompt sent by the next',
    async () => {
      const { code, out, err } = await scene.ion(['run', subject.agent, '--detach', DYING, '--', '--no-such-option'])
      // On a busy machine one may take longer than Ion waits; then only `ion ps` can report it.
      const isSlow = code === 0 && out.startsWith('still starting ')
      holds(`reported as started (${err})`, isSlow || (code !== 0 && out === ''), { code, out })
      const hasLines = err.split('\n').some((line) => line.trim() && !line.startsWith('ion:'))
      holds('its last lines are not printed', isSlow || hasLines, err)
      await until('ion ps to list it as failed', 30_000, async () =>
        /failed \(.*prompt still due/.test((await scene.ion(['ps'])).out),
      )
      const logs = await scene.ion(['logs'])
      holds('its last lines are not in the log', logs.out.trim() !== '', logs)
      const again = await scene.ion(withOwnArgs(scene))
      holds(`not started (${again.err})`, again.code === 0 && /^(?:started|still starting) /.test(again.out), again.out)
      await until('the prompt at the model', 60_000, () => model.log.promptCount(DYING) > 0)
      await until('the prompt in the store', 60_000, async () =>
        (await rows(scene)).some(({ prompt_due }) => !prompt_due),
      )
      equal('times sent', model.log.promptCount(DYING), 1)
      equal('exit code of ion stop', (await scene.ion(['stop'])).code, 0)
    },
  )
}

/** The agents that run. */
async function rows(scene: Scene): Promise<TaskRow[]> {
  const { out } = await scene.ion(['ps', '--json'])
  const all = out.split('\n').filter(Boolean) as string[]
  return all.map((line) => JSON.parse(line) as TaskRow).filter(({ state }) => state !== 'ended' && state !== 'failed')
}

function projectsOf(found: readonly TaskRow[]): string[] {
  return found.map(({ project }) => project).sort()
}

/** For a message. */
async function whatRuns(scene: Scene): Promise<string> {
  const outputs: Output[] = [await scene.ion(['ps', '--all'])]
  for (const { session_id, task } of await rows(scene))
    outputs.push(await scene.ion(['logs', session_id ?? task, '--all']))
  return outputs.map(({ out }) => out.slice(-400)).join('\n')
}

/** Only the scene's own project is known to the agent, and each may ask about another. */
async function prepare(scene: Scene, cwd: string): Promise<void> {
  const { out } = await scene.ion(['run', scene.subject.agent, '--prepare', 'list'], { cwd })
  const asking = out.split('\n').flatMap((line) => /^([\w-]+): it /.exec(line)?.[1] ?? [])
  if (asking.length > 0) await scene.ion(['run', scene.subject.agent, '--prepare', asking.join(',')], { cwd })
}

/** Without the arguments of the failed start, which a task remembers. */
function withOwnArgs(scene: Scene): string[] {
  return ['run', scene.subject.agent, '--detach', '--', ...scene.world.args.terminal]
}
