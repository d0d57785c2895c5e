import type { Checks } from '../checks.ts'
import { equal, holds } from '../checks.ts'
import { promptsRead } from '../questions.ts'
import type { Scene } from '../scene.ts'

const AWKWARD = `-- say "it's 5 > 3" and \`nothing\`\n--help\n\t$(echo no) %PATH% \\n déjà 日本 😀 'end'`
const LONG = `Read this.\n${Array.from({ length: 2500 }, (_, line) => `line ${line}: "quoted" — ${'x'.repeat(20)}`).join('\n')}\nThe end.`

/** Prompts that break shells and argument lists, two tasks, and a folder with blanks and letters of all kinds. */
export async function prompts(scene: Scene, checks: Checks) {
  await checks.that(
    'a prompt with quotes, dashes, newlines, unicode, in a folder with blanks and unicode',
    async () => {
      const { code, err } = await scene.ion(scene.runArgs(['--headless', AWKWARD]))
      equal(`exit code (${err})`, code, 0)
      arrivedExactly(scene, AWKWARD)
    },
  )
  await checks.that('a prompt of 100 KB', async () => {
    const { code, err } = await scene.ion(scene.runArgs(['--headless', '--task', 'long', LONG]))
    equal(`exit code (${err})`, code, 0)
    arrivedExactly(scene, LONG)
  })
  await checks.that('two tasks of one agent in one project', async () => {
    equal(
      'prompts',
      (await promptsRead(scene)).map(([first]) => first?.slice(0, 20)).sort(),
      [AWKWARD, LONG].map((text) => text.slice(0, 20)).sort(),
    )
    const { code, err } = await scene.ion(['run', scene.subject.agent, '--headless', '--send', 'go on with the first'])
    equal(`exit code (${err})`, code, 0)
    holds(
      'the first task got the history of the second',
      !scene.model.log.lastHistory().some(({ text }) => text.includes('line 7:')),
    )
  })
}

function arrivedExactly(scene: Scene, text: string) {
  const sent = scene.model.log
    .turns()
    .flatMap((turn) => turn.messages.filter(({ role }) => role === 'user').map((message) => message.text))
  const wanted = text.trim()
  holds(
    'the text did not arrive as it was',
    sent.some((message) => message.includes(wanted)),
    sent.map((message) => message.slice(0, 300)),
  )
}
