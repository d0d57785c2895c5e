import { findAgent } from '../../../src/agents/find.ts'
import { WRITTEN } from '../../model/script.ts'
import type { Checks } from '../checks.ts'
import { equal, holds } from '../checks.ts'
import { killAll } from '../processes.ts'
import { historyHolds, promptsRead } from '../questions.ts'
import type { Scene } from '../scene.ts'
import { until } from '../until.ts'
import { Server } from './serve.ts'

/** `ION_PROVE_ROUNDS=50` repeats the three messages, to look for one that is lost in many. */
const ROUNDS = Number(process.env.ION_PROVE_ROUNDS ?? 1)
const QUICK = Array.from({ length: ROUNDS }, (_, round) =>
  ['one', 'two', 'three'].map((word) => `QUICK ${word} of ${round + 1}.`),
).flat()

/** What a client of the server does to an agent in the middle of its work. */
export async function serveTurns(scene: Scene, checks: Checks) {
  const { model } = scene
  let server: Server | undefined
  const served = (): Server => {
    if (!server) throw new Error('no server')
    return server
  }

  await checks.that('served: three messages, each as soon as the agent is ready, arrive as three', async () => {
    server = await Server.start(scene, ['FIRST look at the shop'])
    await server.stable()
    for (const text of QUICK) {
      await server.say(text)
      await server.stable()
    }
    await server.answered(2 + 2 * QUICK.length)
    for (const text of QUICK) equal(`times that ${text} was sent`, model.log.promptCount(text), 1)
    equal('prompts in the store', await promptsRead(scene), [['FIRST look at the shop', ...QUICK]])
  })

  await checks.that('served: an answer is seen while it is written, and then as the agent stored it', async () => {
    const before = (await served().messages()).length
    const following = new AbortController()
    const events = served().follow(following.signal)
    await served().say('WRITE an answer')
    await served().answered(before + 2)
    following.abort()
    const answer = (await served().messages()).at(-1)!
    equal('the answer', squeezed(answer.content), squeezed(WRITTEN))
    const texts = (await events).filter(({ id }) => id === answer.id).map(({ message }) => squeezed(message))
    equal('the last update', texts.at(-1), squeezed(WRITTEN))
    // An agent that draws an answer only when it is complete cannot show it earlier.
    if (!findAgent(scene.subject.agent).start?.readAnswer) return
    const growing = new Set(texts.filter((text) => text !== '' && text.length < squeezed(WRITTEN).length * 0.9))
    holds('it was not seen growing', growing.size >= 2, JSON.stringify(texts, null, 1))
    holds('it was not seen from its beginning', [...growing].every(isBeginning), JSON.stringify([...growing], null, 1))
  })

  await checks.that('served: an interrupted turn ends, and the next message is answered', async () => {
    await served().say('HANG in the answer')
    await until('the turn', 30_000, () => model.log.promptCount('HANG in the answer') === 1)
    await served().post('/interrupt', {})
    await served().stable()
    // Some draw their screen again long after that: a client tries once more.
    await until('the message to be accepted', 60_000, () =>
      served()
        .say('AFTER the interrupt')
        .then(
          () => true,
          () => false,
        ),
    )
    await until('an answer', 60_000, async () => {
      const last = (await served().messages()).at(-1)
      return last?.role === 'agent' && last.done && last.content.includes('AFTER')
    })
    equal('times that it was sent', model.log.promptCount('AFTER the interrupt'), 1)
    await served().stable()
  })

  await checks.that('served: a server that is killed in the middle of a turn loses nothing of it', async () => {
    await served().say('WRITE it again')
    await until('the turn', 30_000, () => model.log.promptCount('WRITE it again') === 1)
    served().kill()
    server = await Server.start(scene, ['FIRST look at the shop'])
    await until('the answer', 60_000, async () => {
      const last = (await served().messages()).at(-1)
      return last?.role === 'agent' && squeezed(last.content) === squeezed(WRITTEN)
    })
    await served().stable()
    equal('times that it was sent', model.log.promptCount('WRITE it again'), 1)
  })

  await checks.that(
    'served: an agent that has ended is opened again with its session, and nothing is sent',
    async () => {
      const before = await served().messages()
      const turns = model.log.turns().length
      killAll(scene.agentProcesses())
      await until('the end', 30_000, async () => (await served().ask('/status')).exited !== null)
      await served().post('/start', {})
      await served().stable()
      equal('messages', await served().messages(), before)
      equal('turns', model.log.turns().length, turns)
      await served().say('REOPENED and asked')
      await served().answered(before.length + 2)
      historyHolds(scene, QUICK[0]!, 'REOPENED and asked')
      equal('exit code of ion stop', (await scene.ion(['stop'])).code, 0)
    },
  )
}

/** Markdown is rendered and wrapped on a screen. */
function squeezed(text: string): string {
  return text.replace(/```\w*/g, '').replace(/[^\p{L}\p{N}]+/gu, '')
}

/** The last word may be half written, or be one of the agent's own. */
function isBeginning(text: string): boolean {
  return text.length < 40 || squeezed(WRITTEN).startsWith(text.slice(0, 40))
}
