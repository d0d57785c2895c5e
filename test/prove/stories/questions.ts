import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Checks } from '../checks.ts'
import { equal, holds } from '../checks.ts'
import type { Scene } from '../scene.ts'
import { until } from '../until.ts'
import { Server } from './serve.ts'

const MADE = 'made-by-agent.txt'

/** An agent that asks before it runs a command: what it asks is read from its screen and answered over HTTP. */
export async function questions(scene: Scene, checks: Checks) {
  const { model, project } = scene
  const { asking } = scene.world
  // Removing a folder is what every agent asks about.
  model.script = [{ when: 'ASK', call: { shell: `rm -rf build && touch ${MADE}` } }]
  const isMade = (): boolean => existsSync(join(project, MADE))
  let server: Server | undefined

  await checks.that('served: what the agent asks is shown with its choices, and no message answers it', async () => {
    Object.assign(scene.env, asking.env)
    server = await Server.start(scene, [], asking.args)
    await server.stable()
    await server.say('ASK me first')
    const { choices } = await asked(server)
    holds('fewer than two choices', choices.length >= 2, JSON.stringify(choices))
    const refused = await server.say('no, do something else').catch((error: Error) => error.message)
    holds('the message was accepted', String(refused).includes('the agent asks something else'), String(refused))
    equal('the command has run', isMade(), false)
  })

  await checks.that('served: the choice that is answered is the one that the agent gets', async () => {
    if (!server) throw new Error('no server')
    await answer(server, (choices) => choices.findLast(({ label }) => /^No\b/.test(label)) ?? choices.at(-1)!)
    await server.stable()
    equal('the command has run', isMade(), false)
    await server.say('ASK me again')
    await answer(server, (choices) => choices[0]!)
    await until('the command to run', 60_000, isMade)
    await server.stable()
    equal('exit code of ion stop', (await scene.ion(['stop'])).code, 0)
  })
}

/** Like a person who looks again when the question has changed: agents draw it piece by piece. */
async function answer(server: Server, choose: (choices: Question['choices']) => Question['choices'][number]) {
  for (;;) {
    const { id, choices } = await asked(server)
    const refusal = await server.answer(id, choose(choices).key).catch((error: Error) => error.message)
    if (refusal === undefined) return
    if (!refusal.includes(' 409 ')) throw new Error(refusal)
  }
}

async function asked(server: Server): Promise<Question> {
  let question: Question | null = null
  await until('a question', 60_000, async () => {
    question = ((await server.ask('/status')) as { waiting_for: Question | null }).waiting_for
    return question !== null
  })
  return question!
}

interface Question {
  readonly id: string
  readonly choices: readonly { readonly key: string; readonly label: string }[]
}
