import { join } from 'node:path'
import type { Checks } from '../checks.ts'
import { equal, holds } from '../checks.ts'
import { historyHolds, promptsRead } from '../questions.ts'
import { Scene } from '../scene.ts'

const BY_HAND = 'A question by hand'
const TASK = 'The task of Ion'

/** An agent with one session per folder: what a start replaces is archived, restored exactly, and resumed by the agent. */
export async function onePerFolder(scene: Scene, checks: Checks) {
  const { subject } = scene
  // With another Ion home, so that this one does not know the session.
  const byHand = new Scene({
    ...scene,
    ion: scene.program,
    env: { ...scene.env, ION_HOME: join(scene.root, 'other-ion') },
  })

  await checks.that('a session by hand that a start replaces: archived, restored, resumed', async () => {
    await succeed(byHand, byHand.runArgs(['--headless', BY_HAND]))
    const { err } = await succeed(scene, scene.runArgs(['--headless', TASK]))
    holds('Ion does not say what it replaces', err.includes(BY_HAND) && err.includes('ion restore'), err)
    equal('prompts', (await promptsRead(scene)).flat().sort(), [BY_HAND, TASK])
    const row = (await scene.sessions()).find(({ title }) => title === BY_HAND)
    await succeed(scene, ['restore', row?.id ?? '', '--replace'])
    await succeed(scene, ['--resume', row?.id ?? '', '--headless', '--send', 'NEXT by hand'])
    historyHolds(scene, BY_HAND, 'NEXT by hand')
  })

  await checks.that('run --restore swaps the sessions of a folder', async () => {
    const { err } = await succeed(scene, ['run', subject.agent, '--headless', '--restore', '--send', 'NEXT of Ion'])
    holds('Ion does not say what it replaced', err.includes('had its place'), err)
    historyHolds(scene, TASK, 'NEXT of Ion')
    const last = scene.model.log.lastHistory().filter(({ text }) => text.includes('by hand'))
    equal('messages of the other session in the history', last, [])
  })
}

async function succeed(scene: Scene, args: string[]) {
  const output = await scene.ion(args)
  equal(`exit code of ion ${args[0]} (${output.err})`, output.code, 0)
  return output
}
