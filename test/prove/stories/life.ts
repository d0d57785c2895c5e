import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Checks } from '../checks.ts'
import { equal, holds } from '../checks.ts'
import { eventsOf, historyHolds, promptsRead, textOf } from '../questions.ts'
import type { Scene } from '../scene.ts'
import { until } from '../until.ts'
import { comesBack, keepSession } from './restore.ts'

const FIRST = 'TOOL look at the shop'
/** Its answer comes with thinking, which the turns after it must send back unchanged or not at all. */
const THIRD = 'THINK of a third thing'

/** A session from its first prompt to its end: headless turns, then a terminal. */
export async function life(scene: Scene, checks: Checks) {
  const { model, subject } = scene
  const tools = subject.tools !== false
  // Each agent puts its own text around what the tool printed.
  const answer = tools ? /tool said:[\s\S]*tool-ran/ : /no shell tool was offered/

  await checks.that('cold, headless, with a tool call', async () => {
    const { code, out, err } = await scene.ion(scene.runArgs(['--headless', FIRST]))
    equal('exit code', code, 0)
    holds(`the answer is not on stdout (stderr: ${err})`, answer.test(out), out)
    equal('times that the prompt was sent', model.log.promptCount(FIRST), 1)
  })

  await checks.that('read back: what the stub saw', () => readBack(scene, answer, tools))

  await checks.that('five starts send the prompt once', async () => {
    for (let start = 2; start <= 5; start++) {
      const { code, out, err } = await scene.ion(scene.runArgs(['--headless', FIRST]))
      equal(`exit code of start ${start} (${err})`, code, 0)
      holds('the last answer is not on stdout', answer.test(out), out)
    }
    equal('times that the prompt was sent', model.log.promptCount(FIRST), 1)
  })

  await checks.that('warm, headless, with a next prompt', async () => {
    const { code, out, err } = await scene.ion(['run', subject.agent, '--headless', '--send', 'SECOND thing'])
    equal(`exit code (${err})`, code, 0)
    holds('no answer on stdout', out.includes('SECOND thing'), out)
    historyHolds(scene, FIRST, tools ? 'tool-ran' : 'no shell tool was offered', 'SECOND thing')
  })

  await checks.that('from another folder of the project', async () => {
    const below = join(scene.project, 'src', 'deep')
    mkdirSync(below, { recursive: true })
    const { code, err } = await scene.ion(['run', subject.agent, '--headless', '--send', THIRD], { cwd: below })
    equal(`exit code (${err})`, code, 0)
    historyHolds(scene, FIRST, 'SECOND thing', THIRD)
    equal('sessions', (await scene.sessions()).length, 1)
  })

  await checks.that('warm, in a terminal: nothing is sent until someone types, then the complete history', async () => {
    const before = model.log.turns().length
    const terminal = scene.terminal(['run', subject.agent])
    await terminal.ready()
    equal(`turns without typing; the screen:\n${terminal.text()}\n`, model.log.turns().length, before)
    await terminal.say('FOURTH thing', () => model.log.promptCount('FOURTH thing') > 0)
    historyHolds(scene, FIRST, tools ? 'tool-ran' : 'no shell tool was offered', 'SECOND thing', THIRD, 'FOURTH thing')
    await checks.that('open in another terminal: refused', async () => {
      const { code, err } = await scene.ion(['run', subject.agent, '--headless', '--send', 'never'])
      equal(`exit code (${err})`, code, 4)
      equal('times that it was sent', model.log.promptCount('never'), 0)
    })
    await until('the answer in the store', 20_000, async () =>
      (await promptsRead(scene)).flat().some((text) => text.includes('FOURTH thing')),
    )
    await terminal.end()
  })

  await checks.that('one session, each prompt once', async () => {
    equal('prompts', await promptsRead(scene), [[FIRST, 'SECOND thing', THIRD, 'FOURTH thing']])
  })

  await scene.measureStorage()

  const said = [FIRST, 'SECOND thing', THIRD, 'FOURTH thing']
  const kept = await keepSession(scene)

  await checks.that('a session that is gone: refused, not started again', async () => {
    const turns = model.log.turns().length
    for (const end of ['', '-wal', '-shm']) rmSync(`${kept.row.path}${end}`, { force: true })
    const { code, err } = await scene.ion(['run', subject.agent, '--headless', '--send', 'never'])
    equal(`exit code (${err})`, code, 4)
    equal('turns', model.log.turns().length, turns)
  })

  await checks.that('restored: what was deleted is back to the byte or row, and its resume sends the history', () =>
    comesBack(scene, kept, said, 'FIFTH thing'),
  )
}

/** Text, tool call, result and tokens are what the stub sent and received. */
async function readBack(scene: Scene, answer: RegExp, tools: boolean) {
  const rows = await scene.sessions()
  equal('sessions', rows.length, 1)
  const [row] = rows
  if (!row) return
  const events = await scene.events(row.id)
  equal(
    'prompts',
    eventsOf(events, 'user').map((event) => textOf(event.content)),
    [FIRST],
  )
  holds(
    'the answer',
    answer.test(textOf(eventsOf(events, 'assistant').at(-1)?.content ?? '')),
    eventsOf(events, 'assistant'),
  )
  const turns = scene.model.log.turns()
  if (tools) {
    const [call] = turns.flatMap((turn) => (turn.step?.call ? [turn.step.call] : []))
    equal(
      'tool calls',
      eventsOf(events, 'tool_use').map(({ name, input }) => ({ name, input })),
      [{ name: call?.name, input: call?.input }],
    )
    holds(
      'the tool result',
      JSON.stringify(eventsOf(events, 'tool_result')).includes('tool-ran'),
      eventsOf(events, 'tool_result'),
    )
  }
  if (scene.subject.tokens === false) return
  // Some also store the tokens of titles and summaries.
  const extras = scene.model.log.entries.filter(({ kind }) => kind === 'extra')
  const sums = [turns, [...turns, ...extras]].map((requests) => ({
    input: requests.reduce((total, { usage }) => total + (usage?.input ?? 0), 0),
    output: requests.reduce((total, { usage }) => total + (usage?.output ?? 0), 0),
  }))
  const { input, output } = row.tokens
  holds(
    `tokens instead of ${JSON.stringify(sums)}`,
    sums.some((sum) => sum.input === input && sum.output === output),
    { input, output },
  )
}
