import { expect, test } from 'vitest'
import { testStart } from '../../../test/suites/test-start.ts'
import { scratchIo } from '../../../test/support/scratch.ts'
import agent from './index.ts'

const session = '01a1e4b4-b38e-76f2-9c15-60f83f5945a1'

testStart(agent, new URL('./', import.meta.url), { session, args: ['--model', 'large'] })

test('a prompt that begins with @ or / gets a leading blank in a terminal: it is not a file or a command', () => {
  const io = scratchIo()
  const words = ['@README.md says', '/etc/hosts is wrong', 'plain'].map((text) => {
    const prompt = { text, argument: text, file: '/home/dev/prompt.txt' }
    const request = { session, prompt, headless: false, args: [], cwd: io.cwd, folder: '/none', version: undefined, io }
    return agent.start!.cold(request).args.at(-1)
  })
  expect(words).toEqual([' @README.md says', ' /etc/hosts is wrong', 'plain'])
})
