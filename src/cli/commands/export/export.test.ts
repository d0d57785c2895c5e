import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { type FakeContext, fakeContext } from '../../../../test/support/fake-terminal.ts'
import { scratchIo } from '../../../../test/support/scratch.ts'
import { parseEvent } from '../../../events/log-line.ts'
import { main } from '../../main.ts'

const fixture = fileURLToPath(new URL('../../../agents/claude/fixtures/2.1.325', import.meta.url))
const ID = '0fe6896a-e4fd-46d8-a264-80066bf59f1c'

const world = (): FakeContext => fakeContext(scratchIo(fixture))
const inHome = (context: FakeContext, name: string): string => join(context.io.home, name)

async function ion(context: FakeContext, ...argv: string[]): Promise<number> {
  context.out.text = ''
  context.err.text = ''
  return main(argv, context)
}

test('markdown to stdout is the default', async () => {
  const context = world()
  expect(await ion(context, 'export', '0fe6')).toBe(0)
  expect(context.out.text).toMatch(/^---\nid: "0fe6896a-/)
  expect(context.out.text).toContain('<summary><code>Read</code> /home/dev1/projects/shop/src/cart.ts</summary>')
  expect(context.err.text).toBe('')
})

test('jsonl to a file reads back, is not overwritten silently, and leaves no temporary file', async () => {
  const context = world()
  const file = inHome(context, 'one.jsonl')
  expect(await ion(context, 'export', ID, '--format', 'jsonl', '-o', 'one.jsonl')).toBe(0)
  expect(context.err.text).toMatch(/^wrote ~\/one\.jsonl \([\d.]+ kB\)\n$/)
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n')
  expect(parseEvent(JSON.parse(lines[0]!), 1)).toMatchObject({ type: 'session_start', session_id: ID })

  writeFileSync(file, 'mine')
  expect(await ion(context, 'export', ID, '-o', 'one.jsonl')).toBe(4)
  expect(context.err.text).toBe(`ion: ${file} already exists\n  -> give another -o, or --force to overwrite\n`)
  expect(readFileSync(file, 'utf8')).toBe('mine')
  expect(await ion(context, 'export', ID, '-o', 'one.jsonl', '--force', '--format', 'md')).toBe(0)
  expect(readFileSync(file, 'utf8')).toMatch(/^---\nid/)
  expect(readdirSync(context.io.home).filter((name) => name.includes('tmp'))).toEqual([])
})

test.each([
  ['one.html', /^<!doctype html>/],
  ['one.JSONL', /^\{"type":"session_start"/],
  ['one.json', /^\{\s*"session"|^\{/],
  ['one.txt', /^---\nid/],
])('without --format the ending of %s decides', async (name, start) => {
  const context = world()
  expect(await ion(context, 'export', ID, '-o', name)).toBe(0)
  expect(readFileSync(inHome(context, name), 'utf8')).toMatch(start)
})

test('an ending of a format that Ion does not write is refused, unless --format is given', async () => {
  const context = world()
  expect(await ion(context, 'export', ID, '-o', 'one.PDF')).toBe(2)
  expect(context.err.text).toBe('ion: cannot write .pdf\n  -> known endings: .md, .html, .json, .jsonl\n')
  expect(existsSync(inHome(context, 'one.PDF'))).toBe(false)
  expect(await ion(context, 'export', ID, '-o', 'one.pdf', '--format', 'md')).toBe(0)
  expect(await ion(context, 'export', ID, '-o', 'without-ending')).toBe(0)
  expect(readFileSync(inHome(context, 'without-ending'), 'utf8')).toMatch(/^---\nid/)
})

test('several sessions need a folder, and get names that sort', async () => {
  const context = world()
  expect(await ion(context, 'export', '0fe6', '3333')).toBe(2)
  expect(context.err.text).toBe('ion: several sessions need a folder\n  -> ion export … -o <folder>\n')
  expect(await ion(context, 'export', '0fe6', '3333', '0fe6', '--format', 'html', '-o', 'out/docs')).toBe(0)
  const names = readdirSync(inHome(context, 'out/docs'))
  expect(names).toEqual([
    '2026-11-15-claude-list-the-files-then-read-cart-think-0fe6896a.html',
    '2026-11-15-claude-my-feature-33333333.html',
    'index.html',
  ])
  expect(context.err.text).toMatch(/^(wrote ~\/out\/docs\/\S+ \([\d.]+ kB\)\n){3}2 sessions, \d+ kB, in out\/docs\n$/)
  expect(await ion(context, 'export', '--all', '--format', 'html', '-o', 'out/docs')).toBe(4)
  expect(readdirSync(inHome(context, 'out/docs'))).toEqual(names)
})

test('everything', async () => {
  const context = world()
  expect(await ion(context, 'export', '--all', '--format', 'json', '-o', 'all')).toBe(0)
  const names = readdirSync(inHome(context, 'all'))
  expect(names).toHaveLength(16)
  for (const name of names) {
    expect(name).toMatch(/^2026-11-15-claude-[a-z0-9-]+\.json$/)
    expect(JSON.parse(readFileSync(inHome(context, `all/${name}`), 'utf8'))).toMatchObject({
      session: { agent: 'claude' },
    })
  }
})

test('wrong usage says what to type', async () => {
  const context = world()
  writeFileSync(inHome(context, 'file'), '')
  const results = []
  for (const argv of [
    [],
    ['--all', ID, '-o', 'x'],
    ['nope-nope'],
    [ID, '-o', 'no/such/folder/a.md'],
    ['0fe6', '3333', '-o', 'file'],
    [ID, '--format', 'pdf'],
  ]) {
    results.push([await ion(context, 'export', ...argv), context.err.text.split('\n')[0]])
  }
  expect(results).toEqual([
    [2, 'ion: no session given'],
    [2, 'ion: --all cannot be combined with ids'],
    [3, expect.stringContaining('nope-nope')],
    [3, `ion: folder ${inHome(context, 'no/such/folder')} does not exist`],
    [2, `ion: ${inHome(context, 'file')} is a file, but several sessions need a folder`],
    [2, expect.stringContaining('pdf')],
  ])
  expect(existsSync(inHome(context, 'no'))).toBe(false)
})

test('branches: the main one, or all; data has all by default', async () => {
  const context = world()
  const prompts = async (...argv: string[]): Promise<string[]> => {
    await ion(context, 'export', '77777777-7777-4777-8777-777777777779', ...argv)
    return context.out.text.split('\n').filter((line) => line.startsWith('## '))
  }
  expect(await prompts()).toEqual(['## 1. LIVE #slow 12', '## 2. AFTER BOTH', '## 3. OLD resumes new'])
  expect(await prompts('--branch', 'all')).toHaveLength(4)
  const events = async (...argv: string[]): Promise<number> => {
    await ion(context, 'export', '77777777-7777-4777-8777-777777777779', '--format', 'jsonl', ...argv)
    return context.out.text.trimEnd().split('\n').length
  }
  expect(await events('--branch', 'main')).toBeLessThan(await events())
})

test('redacted: also in the file name, with a summary', async () => {
  const context = world()
  expect(await ion(context, 'export', ID, '--redact', '-o', '.')).toBe(0)
  expect(context.err.text).toMatch(/^wrote .*\nmasked: \d+ home paths\nnot looked for: names, .*\n$/)
  const name = readdirSync(context.io.home).find((entry) => entry.endsWith('.md'))!
  expect(readFileSync(inHome(context, name), 'utf8')).not.toContain('/home/dev1')
})

test('in a terminal no control character of a transcript takes effect', async () => {
  const context = fakeContext(scratchIo(fixture), { isTTY: true })
  const { path } = JSON.parse(await listed(context)) as { path: string }
  const line = readFileSync(path, 'utf8')
    .split('\n')
    .find((text) => text.includes('STUB-OK'))!
  writeFileSync(path, `${line.replace('STUB-OK', '\\u001b[31mred\\u009b2J\\u202e')}\n`)
  for (const format of ['md', 'json', 'jsonl', 'html']) {
    expect(await ion(context, 'export', ID, '--format', format)).toBe(0)
    expect(context.out.text).toContain('red')
    expect(context.out.text).not.toMatch(/[\u001b\u009b\u202e]/)
  }
})

async function listed(context: FakeContext): Promise<string> {
  const plain = fakeContext(context.io)
  await ion(plain, 'sessions', '--all', '--json')
  return plain.out.text.split('\n').find((line) => line.includes(ID))!
}
