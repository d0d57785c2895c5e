import { appendFileSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { scratchFolder } from '../../test/support/scratch.ts'
import { appendEntry, type LedgerEntry, parseLedger, readLedger } from './ledger.ts'
import { taskState } from './task-state.ts'

const text = fc.string({ unit: 'grapheme', maxLength: 20 })
const run = fc.constantFrom('r1', 'r2', 'r3')
const hash = fc.constantFrom('h1', 'h2')
const at = '2026-11-16T00:00:00.000Z'
const io = { now: () => new Date(at) }
const common = { at: fc.constant(at), run }
const entry: fc.Arbitrary<LedgerEntry> = fc.oneof(
  fc.record(
    {
      ...common,
      type: fc.constant('planned' as const),
      decision: fc.constantFrom('cold' as const, 'warm' as const),
      reason: text,
      way: fc.constantFrom('terminal' as const, 'headless' as const, 'detached' as const),
      cwd: text,
      args: fc.array(text, { maxLength: 3 }),
      session: text,
      prompt: fc.record({ hash, length: fc.nat() }),
    },
    { requiredKeys: ['at', 'run', 'type', 'decision', 'reason', 'way', 'cwd', 'args', 'session'] },
  ),
  fc.record({ ...common, type: fc.constant('launching' as const), program: text }),
  fc.record({
    ...common,
    type: fc.constant('launched' as const),
    process: fc.record({ pid: fc.nat(), start: fc.option(text), boot: text }),
  }),
  fc.record({
    ...common,
    type: fc.constant('session' as const),
    native_id: text,
    files: fc.array(text, { maxLength: 2 }),
    cwd: text,
    how: fc.constantFrom('chosen' as const, 'told' as const, 'found' as const, 'adopted' as const),
  }),
  fc.record({
    ...common,
    type: fc.constant('prompt' as const),
    hash,
    state: fc.constantFrom('handed over' as const, 'seen' as const),
  }),
  fc.record({
    ...common,
    type: fc.constant('exited' as const),
    code: fc.option(fc.nat(255)),
    signal: fc.constantFrom(null, 'SIGKILL'),
  }),
)
const entries = fc.array(entry, { maxLength: 12 })

test('entries are read back unchanged, from a private file', () => {
  fc.assert(
    fc.property(entries, (wanted) => {
      const folder = join(scratchFolder(), 'task')
      for (const one of wanted) appendEntry(folder, one, io)
      expect(readLedger(folder)).toEqual({ entries: wanted, bad: 0, problems: [] })
      if (wanted.length) expect(statSync(join(folder, 'ledger.jsonl')).mode & 0o777).toBe(0o600)
    }),
    { numRuns: 30 },
  )
})

test('torn anywhere, all complete lines are read, and entries appended later are complete', () => {
  fc.assert(
    fc.property(entries, entry, fc.double({ min: 0, max: 1, noNaN: true }), (before, after, cut) => {
      const folder = scratchFolder()
      const file = join(folder, 'ledger.jsonl')
      for (const one of before) appendEntry(folder, one, io)
      const bytes = before.length ? readFileSync(file) : Buffer.alloc(0)
      const torn = bytes.subarray(0, Math.floor(bytes.length * cut))
      writeFileSync(file, torn)
      const whole = torn.toString('latin1').split('\n').length - 1
      appendEntry(folder, after, io)
      const read = readLedger(folder)
      const [first, rest] = [read.entries.slice(0, whole), read.entries.slice(whole)]
      expect(first).toEqual(before.slice(0, whole))
      // A line that lacks only its line break counts as well.
      expect(rest.at(-1)).toEqual(after)
      expect(rest.length + read.bad).toBe(torn.length === 0 || torn.at(-1) === 10 ? 1 : 2)
    }),
    { numRuns: 100 },
  )
})

test('a ledger of a newer version of Ion is refused', () => {
  const folder = scratchFolder()
  appendFileSync(join(folder, 'ledger.jsonl'), '{"v":2,"type":"planned","run":"r","at":"x"}\n')
  expect(() => readLedger(folder)).toThrow('a newer version of Ion wrote this ledger')
})

test('lines that are not entries are counted', () => {
  expect(parseLedger('null\n[]\n"x"\n{"a":1}\n\n')).toEqual({
    entries: [],
    bad: 4,
    problems: ['line 4: "at" is missing or invalid'],
    damage: { what: 'has 4 unreadable lines', isRecent: true },
  })
})

test('an emptied ledger is damaged; what was written after a bad line makes the damage an old one', () => {
  const good = JSON.stringify({ v: 1, at, run: 'r1', type: 'launching', program: 'robot' })
  expect(parseLedger('\n').damage).toEqual({ what: 'is empty', isRecent: true })
  expect(parseLedger(`${good}\n${good.slice(0, 9)}`).damage).toEqual({ what: 'has 1 unreadable line', isRecent: true })
  expect(parseLedger(`garbage\n${good}\n`).damage).toEqual({ what: 'has 1 unreadable line', isRecent: false })
  expect(parseLedger(`${good}\n`).damage).toBeUndefined()
})

test('replaying never throws, and a prompt that has arrived stays so', () => {
  fc.assert(
    fc.property(entries, entries, (before, after) => {
      const seen = taskState(before).runs.filter((one) => one.prompt?.state === 'seen')
      const later = taskState([...before, ...after.filter((one) => one.type !== 'planned')])
      for (const { run, prompt } of seen) {
        expect(later.runs.find((one) => one.run === run)?.prompt).toEqual(prompt)
      }
    }),
  )
})

test('an entry without a required field is reported and skipped, whatever its type', () => {
  const examples: LedgerEntry[] = [
    { at, run: 'r', type: 'planned', decision: 'cold', reason: 'x', way: 'terminal', cwd: '/', args: [], session: 's' },
    { at, run: 'r', type: 'launching', program: 'p' },
    { at, run: 'r', type: 'launched', process: { pid: 1, start: null, boot: 'b' } },
    { at, run: 'r', type: 'session', native_id: 'n', files: [], cwd: '/', how: 'found' },
    { at, run: 'r', type: 'prompt', hash: 'h', state: 'seen' },
    { at, run: 'r', type: 'exited', code: null, signal: null },
  ]
  for (const example of examples) {
    expect(parseLedger(JSON.stringify(example)).entries).toEqual([example])
    for (const field of Object.keys(example)) {
      for (const broken of [
        { ...example, [field]: undefined },
        { ...example, [field]: { wrong: 'type' } },
      ]) {
        const problems = [`line 2: "${field}" is missing or invalid`]
        expect(parseLedger(`\n${JSON.stringify(broken)}\n`)).toMatchObject({ entries: [], bad: 1, problems })
      }
    }
  }
})

test('an entry of a type that this version does not know is ignored', () => {
  const later = JSON.stringify({ v: 1, at, run: 'r', type: 'paused' })
  expect(parseLedger(`${later}\n`)).toEqual({ entries: [], bad: 0, problems: [] })
})
