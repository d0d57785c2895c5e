import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { scratchIo } from '../../test/support/scratch.ts'
import type { Io } from '../platform/io.ts'
import { changeMarks, type MarksChange } from './change-marks.ts'
import { type Marks, noMarks } from './marks.ts'
import { marksPath, marksReader, readMarks, readMarksFile } from './read-marks.ts'

const session = { agent: 'one', id: '3f2a' }

const linesOf = (io: Io): string[] => readFileSync(marksPath(io), 'utf8').trim().split('\n')

test('each change is a line, in a file that only the user may read', () => {
  const io = scratchIo()
  expect(readMarks(io).get(session)).toEqual(noMarks)
  expect(existsSync(marksPath(io))).toBe(false)
  const marks = changeMarks(io, session, { name: ' Two\n words ', addTags: ['#B', 'a'], pinned: true, note: 'x\ny\n' })
  expect(marks).toEqual({ ...noMarks, name: 'Two words', tags: ['a', 'b'], pinned: true, note: 'x\ny' })
  expect(readMarks(io).get(session)).toEqual(marks)
  expect(readMarks(io).get({ ...session, agent: 'two' })).toEqual(noMarks)
  const line = { at: '2026-11-16T00:00:00.000Z', agent: 'one', id: '3f2a' }
  expect(linesOf(io).map((one) => JSON.parse(one) as unknown)).toEqual([
    { ...line, op: 'name', value: 'Two words' },
    { ...line, op: 'note', value: 'x\ny' },
    { ...line, op: 'pin' },
    { ...line, op: 'tag', value: 'b' },
    { ...line, op: 'tag', value: 'a' },
  ])
  expect(statSync(marksPath(io)).mode & 0o777).toBe(0o600)
})

test('what is so already is not written again', () => {
  const io = scratchIo()
  const change = { name: 'x', addTags: ['a', 'A'], removeTags: ['b'], pinned: true, note: null }
  changeMarks(io, session, change)
  const before = readFileSync(marksPath(io), 'utf8')
  changeMarks(io, session, change)
  changeMarks(io, session, {})
  expect(readFileSync(marksPath(io), 'utf8')).toBe(before)
})

test('everything can be removed again', () => {
  const io = scratchIo()
  changeMarks(io, session, { name: 'x', addTags: ['a'], pinned: true, note: 'n' })
  expect(changeMarks(io, session, { name: null, removeTags: ['A'], pinned: false, note: null })).toEqual(noMarks)
  expect(readMarks(io).tags()).toEqual([])
})

test('bytes of a line that was cut off do not damage the next one, and other bad lines are counted', () => {
  const io = scratchIo()
  changeMarks(io, session, { name: 'x' })
  appendFileSync(marksPath(io), '{"at":"20')
  expect(readMarksFile(io)).toMatchObject({ badLines: 0, operations: [{ value: 'x' }] })
  changeMarks(io, session, { pinned: true })
  appendFileSync(marksPath(io), 'not json\n\n')
  expect(readMarksFile(io)).toMatchObject({ badLines: 2, operations: [{ value: 'x' }, { op: 'pin' }] })
})

const words = fc.constantFrom('x', 'y', 'ä 日本', 'two words')
const changes: fc.Arbitrary<MarksChange> = fc.record(
  {
    name: fc.option(words),
    note: fc.option(words),
    pinned: fc.boolean(),
    addTags: fc.array(fc.constantFrom('t', 'u', 'v')),
    removeTags: fc.array(fc.constantFrom('t', 'u', 'v')),
  },
  { requiredKeys: [] },
)

/** What a change does to marks. */
function applied(before: Marks, { name = before.name, note = before.note, ...change }: MarksChange): Marks {
  const kept = [...before.tags, ...(change.addTags ?? [])].filter((tag) => !change.removeTags?.includes(tag))
  return { ...before, name, note, pinned: change.pinned ?? before.pinned, tags: [...new Set(kept)].sort() }
}

test('each change counts, whatever the clocks of two writers say and wherever one of them was killed', () => {
  const killed = fc.record({ line: fc.constantFrom('name', 'note'), bytes: fc.nat(90) })
  const steps = fc.array(fc.record({ clock: fc.nat(3), change: changes, killed: fc.option(killed) }), { maxLength: 12 })
  const io = scratchIo()
  fc.assert(
    fc.property(steps, (all) => {
      rmSync(marksPath(io), { force: true })
      const reader = marksReader(io)
      let expected = noMarks
      for (const { clock, change, killed } of all) {
        const writer = { ...io, now: () => new Date(1.8e12 - clock * 1000) }
        expected = applied(expected, change)
        expect(changeMarks(writer, session, change)).toEqual(expected)
        if (killed) {
          const line = { at: '2026-11-16T00:00:00.000Z', ...session, op: killed.line, value: 'ééééééééé' }
          mkdirSync(dirname(marksPath(io)), { recursive: true })
          appendFileSync(marksPath(io), Buffer.from(JSON.stringify(line)).subarray(0, killed.bytes))
        }
        expect(reader().get(session)).toEqual(expected)
        expect(readMarks(io).get(session)).toEqual(expected)
      }
    }),
    { numRuns: 30 },
  )
})

test('after a line with the last possible time, lines can still be read', () => {
  const io = scratchIo()
  mkdirSync(dirname(marksPath(io)), { recursive: true })
  const at = '9999-12-31T23:59:59.999Z'
  appendFileSync(marksPath(io), `${JSON.stringify({ at, ...session, op: 'name', value: 'x' })}\n`)
  changeMarks(io, session, { pinned: true })
  expect(readMarks(io).get(session)).toEqual({ ...noMarks, name: 'x', pinned: true })
})

test('a reader that is kept sees what others write, and that the file is gone', () => {
  const io = scratchIo()
  const marks = marksReader(io)
  expect(marks().get(session)).toEqual(noMarks)
  changeMarks(io, session, { name: 'x' })
  const first = marks()
  expect(first.get(session).name).toBe('x')
  expect(marks()).toBe(first)
  changeMarks(io, session, { name: 'y' })
  expect(marks().get(session).name).toBe('y')
  rmSync(marksPath(io))
  expect(marks().get(session)).toEqual(noMarks)
})

test.each<[MarksChange, message: string, hint: string]>([
  [{ name: ' \n' }, 'the name is empty', 'leave it out to remove the given name'],
  [{ name: 'x'.repeat(201) }, 'the name is too long: 201 characters', 'a name has at most 200 characters'],
  [{ note: '' }, 'the note is empty', 'to remove the note: --remove'],
  [{ note: 'x'.repeat(20_001) }, 'the note is too long: 20001 characters', 'a note has at most 20000 characters'],
])('refuses %j', (change, message, hint) => {
  const io = scratchIo()
  expect(() => changeMarks(io, session, change)).toThrowError(expect.objectContaining({ kind: 'usage', message, hint }))
  expect(existsSync(marksPath(io))).toBe(false)
})

test('a file that cannot be read or written: an error that says what to do', () => {
  const io = scratchIo()
  mkdirSync(marksPath(io), { recursive: true })
  expect(readMarksFile(io)).toEqual({ operations: [], badLines: 0, problem: expect.stringContaining('EISDIR') })
  const path = marksPath(io)
  expect(() => changeMarks(io, session, { pinned: true })).toThrowError(
    expect.objectContaining({ kind: 'failed', hint: `check the permissions of ${path}` }),
  )
  const blocked = { ...io, env: { ...io.env, ION_HOME: `${io.home}/file` } }
  writeFileSync(blocked.env.ION_HOME, '')
  expect(() => changeMarks(blocked, session, { pinned: true })).toThrowError(
    expect.objectContaining({ kind: 'failed', message: expect.stringContaining('cannot write') }),
  )
})
