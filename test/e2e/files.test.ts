import {
  appendFileSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { claudeFile, claudeLines, writeClaude } from './claude-session.ts'
import { listed, type Machine, machine, runIon } from './run-ion.ts'

const id = 'b1900000-0000-4000-8000-000000000001'

const show = (where: Machine, ...more: string[]): ReturnType<typeof runIon> => runIon(where, ['show', id, ...more])

test('a single line of 2 GB: skipped with a message, in bounded memory, and everything around it is read', {
  tags: ['deep'],
}, async () => {
  const where = machine()
  const [first, ...rest] = claudeLines({ id, prompt: 'before the giant', answer: 'after the giant' })
  const path = claudeFile(where, id)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, `${first}\n`)
  // A sparse file takes no space on disk.
  truncateSync(path, 2.1e9)
  appendFileSync(path, `\n${rest.join('\n')}\n`)
  for (const args of [
    ['sessions', '--all'],
    ['search', 'giant'],
    ['show', id],
  ]) {
    const { code, out, err, peakMb } = await runIon(where, args)
    expect({ args, code }).toEqual({ args, code: 0 })
    expect(out).toContain('the giant')
    expect(peakMb).toBeGreaterThan(20)
    expect(peakMb).toBeLessThan(300)
    if (args[0] === 'show') {
      expect(err).toMatch(/could not be read: line of 2100 MB is too long to read \(.*, line 2\)/)
    }
  }
})

test('a tool that printed megabytes without a line break is shown and exported in reasonable time', async () => {
  const where = machine()
  writeClaude(where, {
    id,
    answer: 'the end',
    tool: { name: 'Bash', input: { command: 'x' }, output: 'é~'.repeat(1e6) },
  })
  for (const args of [['--full'], ['--json'], []]) {
    const { code, out } = await show(where, ...args)
    expect({ args, code }).toEqual({ args, code: 0 })
    expect(out).toContain('the end')
  }
  for (const format of ['md', 'html', 'jsonl']) {
    const { code, out } = await runIon(where, ['export', id, '--format', format, '--full'])
    expect({ format, code }).toEqual({ format, code: 0 })
    expect(out).toContain('the end')
  }
})

test('bytes that are not UTF-8 are shown as � and reported, and nothing else is lost', async () => {
  const where = machine()
  const path = writeClaude(where, { id, prompt: 'BADBYTES here', answer: 'a good answer' })
  const bytes = readFileSync(path)
  bytes.fill(0xff, bytes.indexOf('BADBYTES'), bytes.indexOf('BADBYTES') + 3)
  writeFileSync(path, bytes)
  const { code, out, err } = await show(where)
  expect(code).toBe(0)
  expect(out).toContain('���BYTES here')
  expect(out).toContain('a good answer')
  expect(err).toContain('could not be read: invalid UTF-8')
  expect((await listed(where))[0]).toMatchObject({ id, messages: 2, problems: 1 })
})

test('folders linked in a circle are walked once', async () => {
  const where = machine(
    'codex/fixtures/0.166.0',
    'claude/fixtures/2.1.197',
    'gemini/fixtures/0.61.0',
    'kiro/fixtures/handmade-details',
  )
  const before = await listed(where)
  const folders = ['.codex/sessions', '.codex/sessions/2026', '.claude/projects', '.gemini/tmp', '.kiro/sessions', '.']
  for (const folder of folders) {
    symlinkSync('.', join(where.home, folder, 'circle'))
    symlinkSync('itself', join(where.home, folder, 'itself'))
  }
  rmSync(where.ionHome, { recursive: true })
  const after = await listed(where)
  const ids = (rows: Record<string, unknown>[]): Set<unknown> => new Set(rows.map((row) => row.id))
  expect(ids(after)).toEqual(ids(before))
  expect(after.length).toBe(before.length)
})

test('a file that disappears, or changes its type, between listing and reading', async () => {
  const where = machine()
  const path = writeClaude(where, { id, prompt: 'here today' })
  writeClaude(where, { id: 'b1900000-0000-4000-8000-000000000002', prompt: 'still here' })
  expect((await listed(where)).length).toBe(2)
  renameSync(path, `${path}.away`)
  const gone = await show(where)
  expect({ code: gone.code, out: gone.out }).toEqual({ code: 3, out: '' })
  expect(gone.err).toContain(`no session matches "${id}"`)
  mkdirSync(path)
  expect((await show(where)).code).toBe(3)
  rmSync(path, { recursive: true })
  renameSync(`${path}.away`, path)
  expect((await show(where)).out).toContain('here today')
})

test('a file that disappears during an export of all is reported, and the others are written', async () => {
  const where = machine()
  const paths = Array.from({ length: 40 }, (_, n) =>
    writeClaude(where, { id: `b1900000-0000-4000-8000-0000000001${n + 10}`, prompt: `number ${n}` }),
  )
  expect((await listed(where)).length).toBe(40)
  const target = join(where.root, 'out')
  // Removed as soon as the program runs: before, while or after it is read.
  const { code } = await runIon(where, ['export', '--all', '-o', target], {
    onStart: () => setTimeout(() => rmSync(paths[20]!, { force: true }), 150),
  })
  expect(code).toBe(0)
})
