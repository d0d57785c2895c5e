import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { fakeContext } from '../../test/support/fake-terminal.ts'
import { scratchFolder, scratchIo } from '../../test/support/scratch.ts'
import { noConfig } from '../config/config.ts'
import { openPager, pagerCommand } from './pager.ts'

function program(source: string): string {
  const file = join(scratchFolder(), 'fake pager')
  writeFileSync(file, `#!${process.execPath}\n${source}`)
  chmodSync(file, 0o700)
  return file
}

test('$PAGER with arguments, or less, or none', () => {
  const folder = scratchFolder()
  writeFileSync(join(folder, 'less'), '')
  chmodSync(join(folder, 'less'), 0o700)
  const command = (env: Record<string, string>) => pagerCommand(scratchIo(undefined, env), noConfig)
  expect(command({ PAGER: 'most  -w; rm' })).toEqual(['most', '-w;', 'rm'])
  expect(command({ PAGER: '' })).toBeUndefined()
  expect(command({ PAGER: 'cat' })).toBeUndefined()
  expect(command({ PATH: folder })).toEqual([join(folder, 'less'), '-R'])
  expect(command({})).toBeUndefined()
})

test('a dumb terminal gets no pager: less would wait for a key before each page', async () => {
  const context = fakeContext(scratchIo(undefined, { PAGER: 'never-started', TERM: 'dumb' }), { isTTY: true })
  const pager = await openPager(context)
  expect(await pager.write('a\n')).toBe(true)
  await pager.end()
  expect([context.out.text, pager.paged]).toEqual(['a\n', false])
})

test('in a pipe the text goes to stdout', async () => {
  const context = fakeContext(scratchIo(undefined, { PAGER: 'never-started' }))
  const pager = await openPager(context)
  expect(await pager.write('a\n')).toBe(true)
  await pager.end()
  expect([context.out.text, pager.paged]).toEqual(['a\n', false])
})

test('in a terminal the pager gets the complete text', async () => {
  const seen = join(scratchFolder(), 'seen')
  const code = `process.stdin.pipe(require('fs').createWriteStream(${JSON.stringify(seen)}))`
  const folder = scratchFolder()
  writeFileSync(join(folder, 'page.cjs'), code)
  const context = fakeContext(scratchIo(undefined, { PAGER: `${process.execPath} ${folder}/page.cjs` }), {
    isTTY: true,
  })
  const pager = await openPager(context)
  for (let n = 0; n < 200; n++) expect(await pager.write(`${'x'.repeat(1000)}\n`)).toBe(true)
  await pager.end()
  expect([readFileSync(seen, 'utf8').length, pager.paged, context.out.text]).toEqual([200 * 1001, true, ''])
})

test('writing stops when the reader quits', async () => {
  const folder = scratchFolder()
  writeFileSync(join(folder, 'page.cjs'), 'process.stdin.once("data", () => process.exit())')
  const context = fakeContext(scratchIo(undefined, { PAGER: `${process.execPath} ${folder}/page.cjs` }), {
    isTTY: true,
  })
  const pager = await openPager(context)
  let written = 0
  while (await pager.write('x'.repeat(100_000))) written++
  await pager.end()
  expect(written).toBeLessThan(1000)
})

test('a missing pager: the text goes to stdout', async () => {
  const context = fakeContext(scratchIo(undefined, { PAGER: program('').replace('fake pager', 'none') }), {
    isTTY: true,
  })
  const pager = await openPager(context)
  await pager.write('a\n')
  await pager.end()
  expect(context.out.text).toBe('a\n')
})

test.each([
  [{}, 'utf-8'],
  [{ LANG: 'C' }, 'utf-8'],
  [{ LANG: 'de_DE.UTF-8' }, undefined],
  [{ LANG: 'de_DE.UTF-8', LC_ALL: 'POSIX' }, 'utf-8'],
  [{ LESSCHARSET: 'latin1' }, 'latin1'],
])('less shows UTF-8 also without a locale: %j', async (env, charset) => {
  const folder = scratchFolder()
  const less = join(folder, 'less')
  const seen = join(folder, 'seen')
  writeFileSync(less, `#!/bin/sh\ncat > /dev/null\necho "$LESSCHARSET $LESS" > '${seen}'\n`)
  chmodSync(less, 0o700)
  const context = fakeContext(scratchIo(undefined, { PAGER: less, PATH: process.env.PATH!, ...env }), { isTTY: true })
  await (await openPager(context)).end()
  expect(readFileSync(seen, 'utf8')).toBe(`${charset ?? ''} FRX\n`)
})
