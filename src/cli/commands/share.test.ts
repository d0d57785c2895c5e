import { existsSync, readFileSync, writeFileSync } from 'node:fs'
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
    /^masked: (?=.*2 GitHub tokens)(?=.*2 bearer tokens)(?=.*1 e-mail address)(?=.*\d+ home paths).*\nnot looked for: names, phone numbers, .*\n$/,
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

test('an ending of another format is refused', async () => {
  const context = world()
  expect(await main(['share', ID, '-o', 's.json'], context)).toBe(2)
  expect(await main(['share', ID, '-o', 's.docx'], context)).toBe(2)
  expect(context.err.text).toBe(
    'ion: cannot write .json\n  -> known endings: .md, .html; ion export --redact writes .json\n' +
      'ion: cannot write .docx\n  -> known endings: .md, .html\n',
  )
  expect(existsSync(join(context.io.home, 's.json'))).toBe(false)
  expect(await main(['share', ID, '-o', 's.txt'], context)).toBe(0)
})

test('--check writes nothing and exits with 4 while something doubtful is left', async () => {
  const context = world()
  const file = join(context.io.home, '.claude/projects/-home-dev1-projects-shop', `${ID}.jsonl`)
  const known = readFileSync(file, 'utf8')
  // All that looks random here has a rule.
  expect(await main(['share', ID, '--check'], context)).toBe(0)
  expect(context.out.text).toContain('[redacted:github-token-1]')
  expect(context.err.text).toMatch(
    /^masked: .*\nnot looked for: .*\nchecked: nothing is left that looks like a secret\n$/,
  )

  const doubtful = 'Vx8Qm2Lr5Tn9Wb3Kd7Hs4Jp6'
  writeFileSync(file, known.replaceAll(TOKEN, doubtful))
  context.out.text = ''
  context.err.text = ''
  for (const output of [[], ['-o', 'page.html']]) {
    expect(await main(['share', ID, '--check', ...output], context)).toBe(4)
  }
  expect(context.out.text).toBe('')
  expect(existsSync(join(context.io.home, 'page.html'))).toBe(false)
  const message = `ion: 1 text may be secret and not masked: Vx8Q…p6 (24 characters)\n  -> ion share ${ID} > session.md, without --check, and search it for them before you send it\n`
  expect(context.err.text).toBe(message.repeat(2))
})
