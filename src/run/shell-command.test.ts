import { spawnSync } from 'node:child_process'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseScript, scriptOf } from './shell-command.ts'

test('the script of a shell', () => {
  expect(scriptOf(['bash', '-c', 'goose run', 'ignored'])).toBe('goose run')
  expect(scriptOf(['/bin/sh', '-l', '-c', 'x'])).toBe('x')
  expect(scriptOf(['bash', '-lc', 'x'])).toBe('x')
  for (const words of [['bash'], ['bash', 'file.sh'], ['bash', '-c'], ['goose', '-c', 'x'], []])
    expect(scriptOf(words)).toBe(undefined)
})

test('the scripts of the modules in the registry of Coder', () => {
  expect(
    parseScript('/home/dev/.local/bin/goose run --interactive --instructions /home/dev/a\\ b/prompt.txt '),
  ).toEqual({
    words: ['/home/dev/.local/bin/goose', 'run', '--interactive', '--instructions', '/home/dev/a b/prompt.txt'],
    variables: {},
  })
  expect(parseScript('echo "Report to Coder. Your task: don\'t break it" | amp')).toEqual({
    words: ['amp'],
    variables: {},
    input: "Report to Coder. Your task: don't break it",
  })
  expect(parseScript("A=1 B='2 3' exec env C= goose session D=4")).toEqual({
    words: ['goose', 'session', 'D=4'],
    variables: { A: '1', B: '2 3', C: '' },
  })
  expect(parseScript("printf '%s' 'fix it' | amp --mode smart")).toEqual({
    words: ['amp', '--mode', 'smart'],
    variables: {},
    input: 'fix it',
  })
})

test('what a shell would have to work out is left to the shell', () => {
  const scripts = [
    'cd x && goose',
    'goose; amp',
    'goose $ARGS',
    'goose "$(cat f)"',
    'echo `x` | amp',
    'goose < f',
    'cat f | amp',
  ]
  for (const script of [...scripts, 'goose *', 'echo a | b | amp', '"open', "'open", '', 'A=1', 'goose &', '(goose)'])
    expect([script, parseScript(script)]).toEqual([script, undefined])
})

test('words that bash has quoted by %q are those words', () => {
  const word = fc.string({ unit: fc.constantFrom(...'ab \'"\\$`\n\t|&;<>*?~#!{}[]()ä-='), minLength: 1, maxLength: 12 })
  fc.assert(
    fc.property(fc.array(word, { minLength: 1, maxLength: 5 }), (words) => {
      const { stdout } = spawnSync('bash', ['-c', 'printf "%q " "$@"', 'bash', 'goose', ...words], { encoding: 'utf8' })
      expect(parseScript(stdout)).toEqual({ words: ['goose', ...words], variables: {} })
    }),
    { numRuns: 30 },
  )
})
