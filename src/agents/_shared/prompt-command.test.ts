import { expect, test } from 'vitest'
import { asPlainText, CHAT_COMMAND, refuseCommand, SLASH_COMMAND } from './prompt-command.ts'

const prompt = (text: string) => ({ text, argument: text, file: '/prompt.txt' })

test.each(['/init', '/clear the table', ' /team:review 12', '/compact\nall of it'])('%j is refused', (text) => {
  expect(refuseCommand('An agent', prompt(text), SLASH_COMMAND)).toEqual({
    why: `An agent treats text that begins with "${text.trim().split(/\s/)[0]}" as a command, not as a prompt`,
    hint: 'put another word in front',
    isCommand: true,
  })
})

test.each(['/etc/hosts lacks a line', 'fix /init', '//comment', '!ls', '-p', '# note', '@file', '/', '/ is full'])(
  '%j is not a command',
  (text) => expect(refuseCommand('An agent', prompt(text), SLASH_COMMAND)).toBeUndefined(),
)

test('without a prompt nothing is refused', () => {
  expect(refuseCommand('An agent', undefined, CHAT_COMMAND)).toBeUndefined()
})

test('only what begins like a command gets a blank in front', () => {
  expect(['!ls', 'a !ls', '/init'].map((text) => asPlainText(text, /^!/))).toEqual([' !ls', 'a !ls', '/init'])
})
