import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { findAgent } from '../../src/agents/find.ts'
import { builtFolder } from '../support/built.ts'
import { writeClaude } from './claude-session.ts'
import { installFake, ledgerOf, logins, promptsOf } from './fake-agent.ts'
import { listed, type Machine, machine, runIon } from './run-ion.ts'
import { openWindow } from './terminal.ts'

const claude = findAgent('claude')
const id = '3f2a0000-0000-4000-8000-00000000000'

function configured(text: string): Machine & { readonly file: string } {
  const where = machine()
  mkdirSync(where.ionHome)
  const file = join(where.ionHome, 'config.toml')
  writeFileSync(file, text)
  return { ...where, file }
}

test('what is wrong in the file is reported once and ignored; only ion config fails', async () => {
  const where = configured('pagr = "less"\nall = true\n')
  const warning =
    /^ion: ignored: \S+config\.toml, line 1: unknown setting "pagr"\n {2}-> did you mean pager\? known: [^\n]+\n/
  const sessions = await runIon(where, ['sessions'])
  expect([sessions.code, sessions.out, sessions.err]).toEqual([
    0,
    '',
    expect.stringMatching(new RegExp(`${warning.source}no sessions in all projects\\n$`)),
  ])
  const listed = await runIon(where, ['config', '--json'])
  expect([listed.code, listed.err]).toEqual([
    1,
    expect.stringMatching(/^ion: \S+config\.toml, line 1: unknown setting "pagr"\n {2}-> [^\n]+\n$/),
  ])
  expect(
    listed.out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)),
  ).toContainEqual({
    ...{ key: 'all', value: true, source: 'file' },
  })
  for (const quiet of [['--help'], ['config', 'path'], ['complete', '--', 'se']]) {
    expect({ quiet, ...(await runIon(where, quiet)) }).toMatchObject({ quiet, code: 0, err: '' })
  }
  writeFileSync(where.file, Array.from({ length: 9 }, (_, n) => `new${n} = 1`).join('\n'))
  expect((await runIon(where, ['sessions'])).err).toContain('ion: 6 more in the settings: ion config\n')
  writeFileSync(where.file, 'all = \x1b[31m')
  const broken = await runIon(where, ['sessions'])
  expect([broken.code, broken.err]).toEqual([
    0,
    expect.stringMatching(
      /^ion: ignored: \S+config\.toml, line 1: not valid TOML: [^\n\x1b]+\n {2}-> ion config edit\n/,
    ),
  ])
})

test('a default agent gets a quoted prompt; a misspelt agent does not', async () => {
  const where = configured('agent = "claude"\n')
  const env = { PATH: installFake(where), ...logins }
  const run = (...args: string[]) => runIon(where, args, { env })
  expect(await run('run', '--headless', 'fix the refund test')).toMatchObject({
    code: 0,
    out: 'I have done it: fix the refund test\n',
  })
  expect(await run('run', '--headless', '--send', 'goose fails, too')).toMatchObject({ code: 0 })
  expect(Object.values(promptsOf(where, claude))).toEqual([['fix the refund test', 'goose fails, too']])
  const misspelt = await run('run', 'claud', '--headless', 'fix it')
  expect([misspelt.code, misspelt.out, misspelt.err]).toEqual([
    3,
    '',
    expect.stringMatching(/^ion: unknown agent "claud"\n {2}-> did you mean claude\? .*: ion run "claud …"\n$/),
  ])
  expect(JSON.parse((await run('run', '--dry-run', '--json')).out)).toMatchObject({ agent: 'claude', decision: 'warm' })
  expect(Object.values(promptsOf(where, claude))).toHaveLength(1)
  const served = await run('serve', '--detach', '--task', 'served', '/clear')
  expect([served.code, served.err]).toEqual([4, expect.stringContaining('Claude Code treats text that begins')])
  writeFileSync(where.file, '')
  expect(await run('run', '--headless')).toMatchObject({
    code: 2,
    err: 'ion: no agent is given\n  -> ion run <agent> "what to do"; ion config set agent <agent> sets a default\n',
  })
  expect(await run('serve')).toMatchObject({
    code: 2,
    err: expect.stringContaining('ion: no agent is given\n  -> ion '),
  })
})

test('arguments of the file are passed at every start, unless others were given for the task', async () => {
  const where = configured('agents.claude.arguments = ["--model", "one"]\n')
  const env = { PATH: installFake(where), ...logins }
  const run = (...args: string[]) => runIon(where, ['run', 'claude', ...args], { env })
  /** The model of the planned start. */
  const planned = async (...args: string[]): Promise<string | undefined> => {
    const { argv } = JSON.parse((await run('--dry-run', '--json', ...args)).out) as { argv: string[] }
    return argv.includes('--model') ? argv[argv.indexOf('--model') + 1] : undefined
  }
  expect(await planned('x')).toBe('one')
  expect(await planned('x', '--', '--model', 'typed')).toBe('typed')
  expect(await planned('x', '--')).toBeUndefined()
  expect((await run('--headless', 'x')).code).toBe(0)
  // The ledger has what was typed: the next start gets the settings as they are then.
  writeFileSync(where.file, 'agents.claude.arguments = ["--model", "two"]\n')
  expect(await planned()).toBe('two')
  expect((await run('--headless', '--send', 'y', '--', '--model', 'typed')).code).toBe(0)
  expect(await planned()).toBe('typed')
  expect(ledgerOf(where, claude).flatMap((entry) => (entry.type === 'planned' ? [entry.args] : []))).toEqual([
    [],
    ['--model', 'typed'],
  ])
  const other = JSON.parse((await run('--dry-run', '--json', '--task', 'other', 'x')).out) as { argv: string[] }
  expect(other.argv).toContain('two')
  const [session] = await listed(where, { env })
  const resumed = await runIon(where, ['--resume', String(session!.id), '--dry-run', '--json'], { env })
  expect((JSON.parse(resumed.out) as { argv: string[] }).argv).toContain('typed')
})

test('all projects by default, one by its alias, and this one with --project .', async () => {
  const where = configured('')
  const [shop, web] = ['shop', 'web'].map((name) => join(where.home, 'src', name)) as [string, string]
  mkdirSync(shop, { recursive: true })
  mkdirSync(join(web, 'shop'), { recursive: true })
  writeClaude(where, { id: `${id}1`, cwd: shop, prompt: 'refund in the shop' })
  writeClaude(where, { id: `${id}2`, cwd: web, prompt: 'refund on the web' })
  const ids = async (cwd: string, ...args: string[]): Promise<string[]> => {
    const { out } = await runIon(where, [...args, '--json'], { cwd })
    const rows = out
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line))
    return rows.map((row) => String(row.session?.id ?? row.id).slice(-1)).sort()
  }
  expect(await ids(web, 'sessions')).toEqual(['2'])
  writeFileSync(where.file, `all = true\nprojects.shop = "~/src/shop"\nprojects.gone = "/gone"\n`)
  expect(await ids(web, 'sessions')).toEqual(['1', '2'])
  expect(await ids(web, 'sessions', '--project', '.')).toEqual(['2'])
  // An alias comes before a folder of that name.
  expect(await ids(web, 'sessions', '--project', 'shop')).toEqual(['1'])
  expect(await ids(web, 'sessions', '--project', './shop')).toEqual([])
  expect(await ids(web, 'sessions', '--project', 'gone')).toEqual([])
  expect(await ids(web, 'search', 'refund')).toEqual(['1', '2'])
  expect(await ids(web, 'search', 'refund', 'in:shop')).toEqual(['1'])
  expect(await ids(web, 'search', 'refund project:shop')).toEqual(['1'])
  expect(await ids(web, 'search', 'refund', 'project:we')).toEqual(['2'])
  expect((await runIon(where, ['sessions', '--all', '--project', 'shop'])).code).toBe(2)
})

test('colours: the environment comes before the file', async () => {
  const where = configured('colour = "always"\n')
  writeClaude(where, { id: `${id}1` })
  const isColoured = async (env: Record<string, string> = {}): Promise<boolean> =>
    (await runIon(where, ['sessions', '--all'], { env })).out.includes('\x1b[')
  expect([await isColoured(), await isColoured({ NO_COLOR: '1' })]).toEqual([true, false])
  writeFileSync(where.file, 'colour = "never"\n')
  expect([await isColoured(), await isColoured({ FORCE_COLOR: '1' })]).toEqual([false, true])
})

test('the pager: option, environment, file, default', async () => {
  const where = configured('')
  writeClaude(where, { id: `${id}1`, prompt: 'the prompt' })
  const path = join(where.root, 'bin')
  mkdirSync(path)
  for (const name of ['less', 'own-pager', 'other-pager']) {
    writeFileSync(join(path, name), `#!/bin/sh\necho "shown by ${name} $1"\ncat\n`)
    chmodSync(join(path, name), 0o755)
  }
  const show = async (
    variables: readonly string[] = [],
    options: readonly string[] = [],
  ): Promise<string | undefined> => {
    const command = [process.execPath, join(builtFolder(), 'ion.cjs'), 'show', `${id}1`, ...options]
    const window = openWindow(where, ['/usr/bin/env', ...variables, ...command], { path: `${path}:/usr/bin:/bin` })
    await window.exit
    await window.shows('the prompt')
    return /shown by (.*?) *$/m.exec(window.text())?.[1]
  }
  expect(await show()).toBe('less -R')
  writeFileSync(where.file, 'pager = "own-pager --own"\n')
  expect(await show()).toBe('own-pager --own')
  expect(await show(['PAGER=other-pager --other'])).toBe('other-pager --other')
  expect(await show(['PAGER='])).toBeUndefined()
  expect(await show(['PAGER=other-pager'], ['--no-pager'])).toBeUndefined()
  writeFileSync(where.file, 'pager = false\n')
  expect(await show()).toBeUndefined()
})

test('ion config edit opens the editor and checks what it wrote', async () => {
  const where = machine()
  const editor = join(where.root, 'editor.cjs')
  writeFileSync(editor, "require('node:fs').appendFileSync(process.argv[3], process.argv[2].replaceAll('_', ' '))")
  const edit = (line: string) => {
    return runIon(where, ['config', 'edit'], { env: { EDITOR: `${process.execPath} ${editor} ${line}`, VISUAL: '' } })
  }
  const file = join(where.ionHome, 'config.toml')
  const good = await edit('all_=_true')
  expect([good.code, good.out, good.err]).toEqual([0, `${file} is valid\n`, ''])
  expect(readFileSync(file, 'utf8')).toMatch(/^# Settings of Ion[\s\S]*# agent = "aider"[\s\S]*\nall = true$/)
  const bad = await edit('_1')
  expect([bad.code, bad.out, bad.err]).toEqual([1, '', expect.stringContaining('not valid TOML')])
  const none = await runIon(where, ['config', 'edit'], { env: { EDITOR: '/no/such/editor' } })
  expect([none.code, none.err]).toEqual([
    1,
    expect.stringMatching(/^ion: cannot edit with "\/no\/such\/editor": .*\n {2}-> /),
  ])
})
