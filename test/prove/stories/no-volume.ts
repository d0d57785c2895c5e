import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { realIo } from '../../../src/platform/io.ts'
import { generateKey } from '../../../src/replica/seal/keys.ts'
import type { Checks } from '../checks.ts'
import { equal, holds } from '../checks.ts'
import { killAll, processesWith } from '../processes.ts'
import { eventsOf, historyHolds, promptsRead, textOf } from '../questions.ts'
import { NO_VOLUME } from '../scenario-names.ts'
import { Scene } from '../scene.ts'
import { until } from '../until.ts'
import { MOVED_FOLDER } from './moved-home.ts'

const FIRST = 'TOOL look at the shop'
const NEXT = 'And in the new home'
/** What is older than this when everything is killed must be in the store. */
const LAG_MS = 1000

/** A workspace without a volume is killed and deleted; the next one has only the store and its key. */
export async function noVolume(scene: Scene, checks: Checks) {
  const { subject, program } = scene
  const store = join(scene.root, 'store')
  mkdirSync(store)
  const { text: key } = await generateKey(realIo())
  const there = await Scene.make({
    root: join(scene.root, 'next'),
    subject,
    ion: program,
    folder: MOVED_FOLDER,
    checks,
  })
  for (const { env } of [scene, there]) Object.assign(env, { ION_REPLICA: `file://${store}`, ION_REPLICA_KEY: key })
  try {
    await checks.that(NO_VOLUME, async () => {
      const terminal = scene.terminal(scene.runArgs([FIRST], 'terminal'))
      // Stays open after its answer, so that nothing is flushed at an end.
      await until('the answer in the transcript', 90_000, () => hasAnswered(scene)).catch((error) => {
        throw new Error(`${error.message}; the screen:\n${terminal.text()}`)
      })
      const before = await said(scene)
      await wait(LAG_MS)
      killAll(processesWith(`HOME=${scene.world.home}\0`))
      for (const folder of [scene.world.home, join(scene.root, 'ion'), join(scene.root, 'tmp')]) {
        rmSync(folder, { recursive: true, maxRetries: 5, retryDelay: 200 })
      }

      const again = await there.ion(there.runArgs(['--headless', FIRST]))
      equal(`exit code of the same command (${again.err})`, again.code, 0)
      holds('nothing was restored', again.err.includes('restored session'), again.err)
      equal('what was said', (await said(there)).slice(0, before.length), before)
      const next = await there.ion(there.runArgs(['--headless', '--send', NEXT]))
      equal(`exit code of the next prompt (${next.err})`, next.code, 0)
      historyHolds(there, FIRST, subject.tools === false ? 'no shell tool was offered' : 'tool-ran', NEXT)
      equal('prompts', await promptsRead(there), [[FIRST, NEXT]])
      const sent = [scene, there].map(({ model }) => model.log.promptCount(FIRST))
      equal('times that the prompt was sent, here and there', sent, [1, 0])
    })
  } finally {
    await there.close()
  }
}

async function hasAnswered(scene: Scene): Promise<boolean> {
  const [answer, turns] = scene.subject.tools === false ? ['no shell tool was offered', 1] : ['tool said:', 2]
  // Asking Ion takes two processes each time.
  if (scene.model.log.turns().length < turns) return false
  return (await said(scene)).some(([type, text]) => type === 'assistant' && text.includes(answer))
}

/** What the user and the model said, and the tools that were called, in the only session. */
async function said(scene: Scene): Promise<[type: string, text: string][]> {
  const [row] = await scene.sessions()
  if (!row) return []
  const events = await scene.events(row.id)
  return [
    ...eventsOf(events, 'user').map(({ type, content }): [string, string] => [type, textOf(content)]),
    ...eventsOf(events, 'assistant').map(({ type, content }): [string, string] => [type, textOf(content)]),
    ...eventsOf(events, 'tool_use').map(({ type, name }): [string, string] => [type, name]),
  ]
}
