import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { SessionRow } from '../../../src/catalog/session-row.ts'
import type { Checks } from '../checks.ts'
import { equal, holds } from '../checks.ts'
import type { Output, Scene } from '../scene.ts'

const PROMPT = 'paint the fence'
const UNSAVED = 'whitewash the wall'

/**
 * An agent that cannot store its session, because something else is in the place of the folder or database. Whether it
 * answers all the same or fails is up to the agent; Ion must know which, and send the prompt again only if it failed.
 */
export async function refusingStore(scene: Scene, checks: Checks): Promise<void> {
  const { model } = scene
  const run = (...more: string[]): Promise<Output> =>
    scene.ion(scene.runArgs(['--headless', '--task', 'refused', ...more]))
  const healthy = await scene.ion(scene.runArgs(['--headless', 'find the store']))
  equal(`exit code (${healthy.err})`, healthy.code, 0)
  const [session] = await scene.sessions()
  // Where Ion itself gives each task a folder, a store that refuses is an Ion that does not start.
  if (!session || session.path.startsWith(scene.env.ION_HOME ?? '')) return
  await checks.that('a store that refuses: answered prompts are not sent twice, others are', async () => {
    const unblock = block(session, scene.root)
    const first = await run(PROMPT)
    const isAnswered = first.err.includes('stored nothing')
    holds('it ended well, and nothing says that nothing was stored', isAnswered || first.code !== 0, first)
    if (isAnswered) {
      const sent = model.log.promptCount(PROMPT)
      const again = await run(PROMPT)
      equal(`exit code and stdout (${again.err})`, [again.code, again.out], [4, ''])
      equal('times that it was sent', model.log.promptCount(PROMPT), sent)
    }
    unblock()
    const before = model.log.promptCount(PROMPT)
    const last = isAnswered ? await run('--new', PROMPT) : await run(PROMPT)
    equal(`exit code (${last.err})`, last.code, 0)
    holds('it was not sent', model.log.promptCount(PROMPT) > before, last)
  })

  const { withoutStoring } = scene.world
  if (!withoutStoring) return
  await checks.that('an option that stores nothing: reported with its name, and not sent twice', async () => {
    const args = ['run', scene.subject.agent, '--headless', '--task', 'unsaved', UNSAVED, '--', ...withoutStoring]
    const first = await scene.ion(args)
    equal(`exit code (${first.err})`, first.code, 0)
    holds('it does not say why nothing was stored', first.err.includes(`switched off by ${withoutStoring[0]}`), first)
    const again = await scene.ion(args)
    equal(`exit code and stdout (${again.err})`, [again.code, again.out], [4, ''])
    equal('times that it was sent', model.log.promptCount(UNSAVED), 1)
  })
}

/** A file in the place of a folder of sessions, or a folder in that of a database: refused for root too. */
function block({ path, native_id }: SessionRow, root: string): () => void {
  const isDatabase = /\.(db|sqlite3?)$/.test(path)
  const folder = dirname(path)
  // A folder of its own for each session is in the folder of sessions.
  const place = isDatabase ? path : folder.includes(native_id) ? dirname(folder) : folder
  const aside = join(root, 'aside')
  renameSync(place, aside)
  if (isDatabase) mkdirSync(place)
  else writeFileSync(place, '')
  return () => {
    rmSync(place, { recursive: true, force: true })
    renameSync(aside, place)
  }
}
