import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Message } from '../../../src/server/contract.ts'
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
  let last = ''

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
    const first = await answer(
      server,
      (choices) => choices.findLast(({ label }) => /^No\b/.test(label)) ?? choices.at(-1)!,
    )
    await server.stable()
    equal('the command has run', isMade(), false)
    await server.say('ASK me again')
    const second = await answer(server, (choices) => choices[0]!)
    await until('the command to run', 60_000, isMade)
    await server.stable()
    // Each in its own turn, also where the agent writes a turn only when it is over.
    const given = JSON.stringify([[first], [second]])
    await until('both answers in the history', 60_000, async () => {
      last = JSON.stringify(await answersAround(server!, 'ASK me again'))
      return last === given
    }).catch((error) => {
      throw new Error(`${error.message}: ${last}, not ${given}`)
    })
    equal('exit code of ion stop', (await scene.ion(['stop'])).code, 0)
  })
}

/** Like a person who looks again when the question has changed: agents draw it piece by piece. Returns what it chose. */
async function answer(server: Server, choose: (choices: Question['choices']) => Question['choices'][number]) {
  for (;;) {
    const { id, choices } = await asked(server)
    const { key, label } = choose(choices)
    const refusal = await server.answer(id, key).catch((error: Error) => error.message)
    if (refusal === undefined) return label
    if (!refusal.includes(' 409 ')) throw new Error(refusal)
  }
}

/** The choices in the history before and after a prompt. */
async function answersAround(server: Server, prompt: string): Promise<string[][]> {
  const { messages } = (await server.ask('/messages?full=true')) as { messages: readonly Message[] }
  const at = messages.findIndex(({ content }) => content === prompt)
  if (at < 0) return []
  return [messages.slice(0, at), messages.slice(at)].map((some) =>
    some.flatMap(({ parts }) => parts.flatMap((part) => (part.type === 'note' && part.answer?.choice) || [])),
  )
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
