import { readFileSync, statSync, writeFileSync } from 'node:fs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { scratchFolder } from '../../test/support/scratch.ts'
import { isAmong, isSamePrompt, loadPrompt, promptFile, promptFor, promptIdentity, savePrompt } from './prompt.ts'

test('the exact text is saved in a private file, and loaded again', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), (text) => {
      const folder = scratchFolder()
      savePrompt(text, folder)
      savePrompt(text, folder)
      const identity = promptIdentity(text)
      expect(loadPrompt(identity, folder)).toBe(text)
      expect(statSync(promptFile(folder, identity.hash)).mode & 0o777).toBe(0o600)
    }),
    { numRuns: 30 },
  )
})

test('a prompt file that was changed or deleted is not sent', () => {
  const folder = scratchFolder()
  const identity = promptIdentity('do it')
  expect(() => loadPrompt(identity, folder)).toThrow('cannot be read')
  savePrompt('do it', folder)
  writeFileSync(promptFile(folder, identity.hash), 'do something else')
  expect(() => loadPrompt(identity, folder)).toThrow('was changed')
})

test('a text that is too long for an argument is pointed to', () => {
  const folder = scratchFolder()
  const text = 'ä'.repeat(100_000)
  savePrompt(text, folder)
  const { argument, file } = promptFor(text, folder)
  expect(argument).toBe(`The task is in the file ${file}. Read that file whole and do what it says.`)
  expect(readFileSync(file, 'utf8')).toBe(text)
  expect(isSamePrompt(argument, text, folder)).toBe(true)
  expect(promptFor('short', folder).argument).toBe('short')
})

test.each([
  ['fix  it\n', 'fix it', true],
  ['fix it now', 'fix it', false],
  ['> please fix the refund test today', 'fix the refund test today', true],
  ['caf\u0065\u0301', 'café', true],
  ['', 'x', false],
])('%j in a transcript is the prompt %j: %s', (message, prompt, same) => {
  expect(isSamePrompt(message, prompt, '/none')).toBe(same)
})

test('a prompt that differs only in trailing white space is the same, also in a ledger of an older version', () => {
  const folder = scratchFolder()
  const old = promptIdentity('fix it\n\n')
  savePrompt('fix it\n\n', folder)
  expect(isAmong('fix it', [old], folder)).toBe(true)
  expect(isAmong('fix it', [promptIdentity('fix it')], folder)).toBe(true)
  expect(isAmong('fix', [old], folder)).toBe(false)
  expect(isAmong('fix it now, please', [old], folder)).toBe(false)
  // Its text is gone, so nothing is known about it.
  expect(isAmong('paint it', [promptIdentity('paint it ')], folder)).toBe(false)
})
