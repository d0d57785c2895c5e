// @module-tag deep
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { filesBelow, treeState } from '../support/scratch.ts'
import { inParallel } from './kill-cells.ts'
import { killHook, killPoints } from './kill-hook.ts'
import { type Machine, machine, type Outcome, runIon } from './run-ion.ts'

/** A machine of its own for each kill, with some modules. */
function withModules(names: readonly string[]): Machine {
  const where = machine()
  for (const name of names) {
    const folder = join(where.home, `.${name}-module`)
    mkdirSync(join(folder, 'logs/empty'), { recursive: true })
    writeFileSync(join(folder, 'state.json'), `{"of":"${name}"}`)
    writeFileSync(join(folder, 'logs/run.log'), 'x'.repeat(1_500_000))
    symlinkSync('../state.json', join(folder, 'logs/up'))
    for (const file of filesBelow(folder)) utimesSync(file, 1_700_000_000, 1_700_000_000)
  }
  return where
}

type Env = Readonly<Record<string, string>>

function ion(where: Machine, words: readonly string[], env: Env = {}): Promise<Outcome> {
  const hook = join(where.root, 'kill-hook.cjs')
  writeFileSync(hook, killHook)
  return runIon(where, ['modules', ...words], { env: { ...env, NODE_OPTIONS: `-r ${hook}` } })
}

/** Where each module's data is complete; a partial copy does not count. */
function wholeIn(where: Machine, original: Machine, names: readonly string[]): Record<string, string[]> {
  return Object.fromEntries(
    names.map((name) => {
      const expected = stateOf(join(original.home, `.${name}-module`))
      const places = { old: join(where.home, `.${name}-module`), new: join(where.home, '.coder-modules', name) }
      const whole = Object.entries(places).filter(
        ([, path]) => lstatSync(path, { throwIfNoEntry: false })?.isDirectory() && isSame(stateOf(path), expected),
      )
      return [name, whole.map(([place]) => place)]
    }),
  )
}

function stateOf(folder: string): Record<string, string> {
  const folders = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => !entry.isFile())
  return {
    ...treeState(folder),
    others: folders
      .map(({ name }) => name)
      .sort()
      .join(),
  }
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}

/** All names in the home, to see that nothing is left over. */
function namesIn(where: Machine): string[] {
  const inBase = join(where.home, '.coder-modules')
  return [...readdirSync(where.home), ...(existsSync(inBase) ? readdirSync(inBase) : [])].sort()
}

describe.skipIf(process.platform !== 'linux')('ion modules, killed at every operation', () => {
  test.each([
    ['migrate within a file system', [], ['amp', 'goose'], {}],
    ['migrate over file systems', [], ['goose'], { ION_TEST_EXDEV: '1' }],
    ['undo within a file system', ['--undo'], ['amp', 'goose'], {}],
    ['undo over file systems', ['--undo'], ['goose'], { ION_TEST_EXDEV: '1' }],
  ] as const)('%s', async (_name, flags, names, env) => {
    const original = withModules(names)
    const isUndo = flags.length > 0
    const begin = async (): Promise<Machine> => {
      const where = withModules(names)
      if (isUndo) expect((await ion(where, ['migrate', '--yes'], env)).code).toBe(0)
      return where
    }
    const words = ['migrate', '--yes', ...flags]
    const opposite = ['migrate', '--yes', ...(isUndo ? [] : ['--undo'])]
    const counted = await begin()
    const file = join(counted.root, 'operations')
    expect((await ion(counted, words, { ...env, ION_TEST_OPERATIONS: file })).code).toBe(0)
    const operations = JSON.parse(readFileSync(file, 'utf8')) as string[]
    expect(operations.length).toBeGreaterThan(20)
    const end = isUndo ? 'old' : 'new'
    const found: Record<string, unknown> = {}
    const wanted: Record<string, unknown> = {}
    const points = killPoints(operations.length)
    await inParallel(points, async (number) => {
      const index = number - 1
      const where = await begin()
      const killed = await ion(where, words, { ...env, ION_TEST_KILL_AT: String(number) })
      const between = [wholeIn(where, original, names)]
      // The recovery is killed, too, at some operation.
      if (number % 2 === 0) await ion(where, words, { ...env, ION_TEST_KILL_AT: String(8 + ((index * 7) % 29)) })
      between.push(wholeIn(where, original, names))
      const second = await ion(where, words, env)
      const key = `${number} ${operations[index]}`
      found[key] = {
        killed: killed.code,
        lost: names.filter((name) => between.some((whole) => whole[name]!.length === 0)),
        second: second.code,
        err: second.err,
        after: wholeIn(where, original, names),
        left: namesIn(where),
        again: (await ion(where, words, env)).code,
        opposite: (await ion(where, opposite, env)).code,
        afterOpposite: wholeIn(where, original, names),
      }
      wanted[key] = {
        killed: null,
        lost: [],
        second: 0,
        err: expect.stringMatching(/^(nothing was migrated\n)?$/),
        after: Object.fromEntries(names.map((name) => [name, [end]])),
        left: [...names.map((name) => `.${name}-module`), '.coder-modules', ...(isUndo ? [] : names)].sort(),
        again: 0,
        opposite: 0,
        afterOpposite: Object.fromEntries(names.map((name) => [name, [isUndo ? 'new' : 'old']])),
      }
    })
    expect(found).toEqual(wanted)
    expect(Object.keys(found)).toHaveLength(points.length)
  })
})

test('audit, dry run, move and undo as a user does them in a pipe', async () => {
  const where = withModules(['amp', 'goose'])
  const env = { TMPDIR: join(where.root, 'tmp'), COLUMNS: '200' }
  const audited = await ion(where, ['audit'], env)
  expect({ code: audited.code, lines: audited.out.split('\n').length, err: audited.err }).toEqual({
    code: 0,
    lines: 4,
    err: '2 locations, 0 of them lost at a restart; "ion modules migrate" would move 2\n',
  })
  expect(await said(where, ['migrate'], env)).toEqual({
    code: 0,
    out: [
      'would move amp: ~/.amp-module -> ~/.coder-modules/amp (survives a restart, but is not with the other modules)',
      'would move goose: ~/.goose-module -> ~/.coder-modules/goose (survives a restart, but is not with the other modules)',
    ],
    err: 'nothing was done because stdout is not a terminal; --yes does it\n',
  })
  expect(namesIn(where)).toEqual(['.amp-module', '.goose-module'])
  expect(await said(where, ['migrate', 'goose', '--yes'], env)).toEqual({
    code: 0,
    out: [
      'moved goose: ~/.goose-module -> ~/.coder-modules/goose (survives a restart, but is not with the other modules)',
    ],
    err: '',
  })
  writeFileSync(join(where.home, '.amp-module/logs/new'), 'x')
  mkdirSync(join(where.home, '.coder-modules/amp'))
  writeFileSync(join(where.home, '.coder-modules/amp/other'), 'x')
  expect(await said(where, ['migrate', '--yes'], env)).toEqual({
    code: 4,
    out: [
      'refused amp: ~/.amp-module was not changed: the target exists and is not empty',
      'nothing to do goose: ~/.goose-module: already moved',
    ],
    err: '',
  })
  expect(await said(where, ['migrate', '--undo', '--yes', '--json'], env)).toEqual({
    code: 0,
    out: [
      JSON.stringify({
        name: 'goose',
        from: join(where.home, '.goose-module'),
        to: join(where.home, '.coder-modules/goose'),
        outcome: 'moved back',
        reason: 'undo',
      }),
    ],
    err: '',
  })
  expect((await said(where, ['migrate', 'dog'], env)).code).toBe(3)
  expect((await said(where, ['audit', '--undo'], env)).code).toBe(2)
  expect((await said(where, ['path', 'coder/ion'], env)).out).toEqual([join(where.home, '.coder-modules/coder/ion')])
})

async function said(
  where: Machine,
  words: readonly string[],
  env: Env,
): Promise<{ code: number | null; out: string[]; err: string }> {
  const { code, out, err } = await ion(where, words, env)
  return { code, out: out.split('\n').filter(Boolean), err }
}
