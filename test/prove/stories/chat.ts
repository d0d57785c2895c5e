import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { findAgent } from '../../../src/agents/find.ts'
import type { Checks } from '../checks.ts'
import { equal, holds } from '../checks.ts'
import { killAll } from '../processes.ts'
import { promptsRead } from '../questions.ts'
import type { Scene } from '../scene.ts'
import type { Terminal } from '../terminal.ts'
import { until } from '../until.ts'

const MADE = 'made-by-agent.txt'

/** `ion attach --chat`: the same conversation as lines of text, without a server. */
export async function chat(scene: Scene, checks: Checks) {
  const { model, project } = scene
  const { start } = findAgent(scene.subject.agent)
  const doesAsk = scene.subject.stories?.includes('questions') === true
  model.script = [{ when: 'ASK', call: { shell: `rm -rf build && touch ${MADE}` } }]
  let terminal: Terminal | undefined
  const shown = (part: RegExp, ms = 60_000): Promise<unknown> =>
    until(`${part} on the screen`, ms, () => part.test(terminal?.text() ?? '')).catch((error: Error) => {
      throw new Error(`${error.message}\n${terminal?.text()}`)
    })
  const type = (line: string): void => terminal?.process.write(`${line}\r`)

  await checks.that('chat in the terminal: three lines typed at once are three messages, each answered', async () => {
    if (doesAsk) Object.assign(scene.env, scene.world.asking.env)
    const args = doesAsk ? scene.world.asking.args : scene.world.args.terminal
    const command = ['run', scene.subject.agent, '--detach', 'FIRST look at the shop']
    const started = await scene.ion([...command, ...(args.length ? ['--', ...args] : [])])
    equal(`exit code of ion run (${started.err})`, started.code, 0)
    terminal = scene.terminal(['attach', '--chat'])
    await shown(/answer 1 to: FIRST/)
    for (const word of ['one', 'two', 'three']) {
      type(`QUICK ${word}`)
      await shown(new RegExp(`> QUICK ${word}`))
    }
    await shown(/answer \d to: QUICK three/)
    for (const word of ['one', 'two', 'three']) {
      equal(`times that ${word} was sent`, model.log.promptCount(`QUICK ${word}`), 1)
    }
  })

  await checks.that(
    'chat in the terminal: an answer is seen while it is written, and once when it is complete',
    async () => {
      type('WRITE an answer')
      if (start?.readAnswer) await shown(/The first paragraph(?![\s\S]*The last paragraph)/)
      await shown(/The last paragraph ends it\.\s+\S+>\s*$/)
      equal('times that it is shown', terminal?.text().match(/The first paragraph/g)?.length, 1)
    },
  )

  await checks.that('chat in the terminal: an interrupt ends the turn, and the next line is answered', async () => {
    type('HANG in the answer')
    await until('the turn', 30_000, () => model.log.promptCount('HANG in the answer') === 1)
    type('/interrupt')
    await shown(/sent an interrupt/)
    type('AFTER the interrupt')
    await shown(/answer \d+ to: AFTER/)
  })

  if (doesAsk) {
    await checks.that('chat in the terminal: a question is shown, and the number of a choice answers it', async () => {
      type('ASK me first')
      await shown(/^ {2}1\. [\s\S]*type the number of your answer/m)
      equal('the command has run', existsSync(join(project, MADE)), false)
      type('1')
      await until('the command to run', 60_000, () => existsSync(join(project, MADE)))
    })
  }

  await checks.that('chat in the terminal: it ends with the agent, and is what the agent stored', async () => {
    const prompts = await promptsRead(scene)
    const expected = ['FIRST look at the shop', 'QUICK one', 'QUICK two', 'QUICK three', 'WRITE an answer']
    equal('the first prompts in the store', prompts[0]?.slice(0, 5), expected)
    killAll(scene.agentProcesses())
    await shown(/the agent has ended with exit code/)
    await until('the chat to end', 10_000, () => terminal?.exitCode !== undefined)
    holds('it ended as if all was well', terminal?.exitCode !== 0, terminal?.text() ?? '')
  })
}
