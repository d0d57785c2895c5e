import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { expect, test } from 'vitest'
import { scratchFolder } from '../../../test/support/scratch.ts'
import { scripts } from './completion.ts'

/** A folder with an `ion` that gives prepared answers and records its arguments. */
function fakeIon(answer: string): { folder: string; path: string } {
  const folder = scratchFolder()
  const file = join(folder, 'ion')
  writeFileSync(file, `#!/bin/sh\nprintf '[%s]' "$@" > '${folder}/asked'\ncat '${folder}/answer'\n`)
  chmodSync(file, 0o700)
  writeFileSync(join(folder, 'answer'), answer)
  for (const shell of ['bash', 'zsh', 'fish'] as const) writeFileSync(join(folder, `ion.${shell}`), scripts[shell])
  return { folder, path: `${folder}${delimiter}${process.env.PATH}` }
}

const has = (shell: string): boolean => spawnSync(shell, ['--version']).status === 0

function inBash(line: readonly string[], answer: string, type = 9): string[] {
  const { folder, path } = fakeIon(answer)
  const words = line.map((word) => `'${word}'`).join(' ')
  const code = `source ${folder}/ion.bash; COMP_WORDS=(${words}); COMP_CWORD=${line.length - 1}; COMP_TYPE=${type}
    _ion; printf '%s\\n' "\${COMPREPLY[@]}"; cat ${folder}/asked`
  return execFileSync('bash', ['-c', code], {
    cwd: folder,
    env: { ...process.env, PATH: path },
    encoding: 'utf8',
  }).split('\n')
}

test('bash: a single candidate is inserted, several are listed with summaries', () => {
  expect(inBash(['ion', 'sh'], 'show\tread a session\n')).toEqual(['show', '[complete][--][sh]'])
  expect(inBash(['ion', 'show', ''], '3f2a\tFix: a (b)\n77b1\tOther\n')).toEqual([
    '3f2a  (Fix: a (b))',
    '77b1  (Other)',
    '[complete][--][show][]',
  ])
  expect(inBash(['ion', 'x', ''], 'md\t\njson\t\n')).toEqual(['md  ', 'json', '[complete][--][x][]'])
  expect(inBash(['ion', 'show', ''], '3f2a\tFix\n77b1\tOther\n', 37)).toEqual([
    '3f2a',
    '77b1',
    '[complete][--][show][]',
  ])
})

test('bash: paths are completed by the shell; no candidates, no reply', () => {
  expect(inBash(['ion', 'export', '-o', 'ion.b'], ':file\n')).toEqual(['ion.bash', '[complete][--][export][-o][ion.b]'])
  expect(inBash(['ion', 'x', ''], '')).toEqual(['', '[complete][--][x][]'])
})

test.skipIf(!has('fish'))('fish completes with summaries', () => {
  const { folder, path } = fakeIon('3f2a\tFix: a (b)\n77b1\tOther\n')
  const code = `source ${folder}/ion.fish; complete -C 'ion show '; cat ${folder}/asked`
  const said = execFileSync('fish', ['--no-config', '-c', code], {
    env: { ...process.env, PATH: path },
    encoding: 'utf8',
  })
  expect(said).toBe('3f2a\tFix: a (b)\n77b1\tOther\n[complete][--][show][]')
})

test.skipIf(!has('zsh'))('zsh hands values and summaries to its own completion', () => {
  const { folder, path } = fakeIon('a:b\tFix: it\n77b1\tOther\n:folder\n')
  const code = `compdef() { :; }; source ${folder}/ion.zsh
    _describe() { print -rl -- "$@" "\${(@P)@[-1]}" }; _files() { print -r -- files "$@" }
    words=(ion show ''); CURRENT=3; _ion; cat ${folder}/asked`
  const said = execFileSync('zsh', ['-f', '-c', code], { env: { ...process.env, PATH: path }, encoding: 'utf8' })
  expect(said).toBe('-V\nion\ndescribed\na\\:b:Fix: it\n77b1:Other\nfiles -/\n[complete][--][show][]')
})
