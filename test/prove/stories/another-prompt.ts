import type { Checks } from '../checks.ts'
import { equal, holds } from '../checks.ts'
import type { Scene } from '../scene.ts'
import { until } from '../until.ts'

const FIRST = 'count the apples'
const OTHER = 'weigh the pears'

/** A prompt that the task's session does not have is not answered with an old answer. */
export async function anotherPrompt(scene: Scene, checks: Checks): Promise<void> {
  const { model, subject } = scene
  const run = ['run', subject.agent, '--headless']

  await checks.that('another prompt, headless: refused, with nothing on stdout', async () => {
    const first = await scene.ion(scene.runArgs(['--headless', FIRST]))
    equal(`exit code (${first.err})`, first.code, 0)
    const { code, out, err } = await scene.ion([...run, OTHER])
    equal(`exit code (${err})`, code, 4)
    equal('stdout', out, '')
    for (const option of ['--send', '--new', '--task']) holds(`the hint lacks ${option}`, err.includes(option), err)
    equal('times that it was sent', model.log.promptCount(OTHER), 0)
  })

  await checks.that('another prompt, in a terminal: asked about before the agent starts', async () => {
    const terminal = scene.terminal(['run', subject.agent, OTHER])
    await until('the question', 30_000, () => terminal.text().includes('[s] send it to that session'))
    terminal.process.write('c\r')
    await until('the end', 30_000, () => terminal.exitCode !== undefined)
    equal(`exit code; the screen:\n${terminal.text()}\n`, terminal.exitCode, 4)
    equal('turns', [model.log.promptCount(FIRST), model.log.promptCount(OTHER)], [1, 0])
  })

  await checks.that('each prompt gets its own answer, whatever was sent since', async () => {
    const sent = await scene.ion([...run, '--send', OTHER])
    equal(`exit code (${sent.err})`, sent.code, 0)
    for (const prompt of [FIRST, OTHER]) {
      const { code, out, err } = await scene.ion([...run, `${prompt} \n`])
      equal(`exit code of "${prompt}" (${err})`, code, 0)
      holds(`the answer to "${prompt}" is not on stdout`, out.includes(prompt), out)
      equal('times that it was sent', model.log.promptCount(prompt), 1)
    }
  })
}
