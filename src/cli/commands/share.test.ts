import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { type FakeContext, fakeContext } from '../../../test/support/fake-terminal.ts'
import { scratchIo } from '../../../test/support/scratch.ts'
import { main } from '../main.ts'

const fixture = fileURLToPath(new URL('../../agents/claude/fixtures/2.1.325', import.meta.url))
const ID = '33333333-3333-4333-8333-333333333333'
const TOKEN = ['gh', 'p_', 'aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0eF3hI6'].join('')
const BARE = 'q7Zk2mP9xL4vB8nR3tY6'

/** A session whose first prompt holds what must not be seen, one of it known as a secret only by a later prompt. */
function world(): FakeContext {
  const context = fakeContext(scratchIo(fixture))
  const file = join(context.io.home, '.claude/projects/-home-dev1-projects-shop', `${ID}.jsonl`)
  const text = readFileSync(file, 'utf8')
  writeFileSync(
    file,
    text
      .replaceAll('NAMED one', `use ${TOKEN} or ${BARE}, mail ann@example.com`)
      .replaceAll('NAMED two', `Authorization: Bearer ${BARE} and ${TOKEN}`),
  )
  return context
}

test('masks, and says what it masked', async () => {
  const context = world()
  expect(await main(['share', ID], context)).toBe(0)
  const { text } = context.out
  expect(text).toContain('> use [redacted:github-token-1] or [redacted:bearer-token-1], mail [redacted:email-1]\n')
  expect(text).toContain('redacted: true')
  for (const secret of [TOKEN, BARE, 'ann@', '/home/dev1']) expect(text).not.toContain(secret)
  expect(context.err.text).toMatch(
    /^masked: (?=.*2 GitHub tokens)(?=.*2 bearer tokens)(?=.*1 e-mail address)(?=.*\d+ home paths).*\n$/,
  )
})

test('as a page, into a file', async () => {
  const context = world()
  expect(await main(['share', ID, '--html', '-o', 'page.html'], context)).toBe(0)
  const page = readFileSync(join(context.io.home, 'page.html'), 'utf8')
  expect(page).toMatch(/^<!doctype html>/)
  for (const secret of [TOKEN, BARE, 'ann@', '/home/dev1']) expect(page).not.toContain(secret)
  expect(context.out.text).toBe('')
  expect(context.err.text).toMatch(/^wrote ~\/page\.html \([\d.]+ kB\)\nmasked: /)
  expect(await main(['share', ID, '--html', '-o', 'page.html'], context)).toBe(4)
  expect(await main(['share', ID, '-o', 'page.html', '--force'], context)).toBe(0)
  expect(readFileSync(join(context.io.home, 'page.html'), 'utf8')).toMatch(/^<!doctype html>/)
})
