import { appendFileSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { scratchFolder } from '../../test/support/scratch.ts'
import { AnswerLog, answersFile, appendAnswer, parseAnswers, type RecordedAnswer } from './answers.ts'

const answer: RecordedAnswer = {
  at: '2026-03-12T14:00:00.000Z',
  session: 'n1',
  earlier: 0,
  after: 'e1',
  question: 'Run it?',
  details: 'rm -rf build',
  choice: 'Yes',
  by: 'page',
}
const at = (second: number): string => new Date(Date.UTC(2026, 2, 12, 14, 0, second)).toISOString()

test('answers are appended to a private file, and followed by others', () => {
  const folder = join(scratchFolder(), 'task')
  const log = new AnswerLog(folder)
  const troubles: string[] = []
  const look = (): boolean => log.look((trouble) => troubles.push(trouble))
  expect([look(), log.of('n1', 0)]).toEqual([false, []])
  appendAnswer(folder, answer)
  expect(statSync(answersFile(folder)).mode & 0o777).toBe(0o600)
  expect([look(), look(), log.of('n1', 0)]).toEqual([true, false, [answer]])
  const second = { ...answer, at: at(1), choice: 'No' }
  appendAnswer(folder, second)
  expect([look(), log.of('n1', 0)]).toEqual([true, [answer, second]])
  expect(troubles).toEqual([])
})

test('a torn last line is skipped, and does not harm the next answer', () => {
  const folder = join(scratchFolder(), 'task')
  appendAnswer(folder, answer)
  const line = readFileSync(answersFile(folder), 'utf8')
  for (let length = 1; length < line.length - 1; length++) {
    writeFileSync(answersFile(folder), line + line.slice(0, length))
    expect(parseAnswers(readFileSync(answersFile(folder), 'utf8'))).toEqual([answer])
  }
  appendAnswer(folder, { ...answer, at: at(1) })
  expect(parseAnswers(readFileSync(answersFile(folder), 'utf8'))).toEqual([answer, { ...answer, at: at(1) }])
})

test('lines with missing or wrong fields, or of a newer version, are skipped; the rest is in order of time', () => {
  const line = (changed: object): string => JSON.stringify({ v: 1, ...answer, ...changed })
  const { by: _, ...anonymous } = answer
  const lines = [
    line({ at: at(9) }),
    line({ at: 'yesterday' }),
    line({ session: 3 }),
    line({ earlier: 'one' }),
    line({ details: null }),
    line({ v: 2 }),
    JSON.stringify({ v: 1, ...anonymous }),
    '[]',
    '',
    line({ at: at(3), session: null, after: null }),
  ]
  const found = parseAnswers(lines.join('\n'))
  expect(found).toEqual([
    { ...answer, at: at(3), session: null, after: null },
    { ...answer, at: at(9) },
  ])
})

test('an answer belongs to its session; one before there was a session to the next one', () => {
  const folder = scratchFolder()
  const all = [
    { ...answer, session: null, earlier: 0 },
    { ...answer, at: at(1), session: 'n1', earlier: 0 },
    { ...answer, at: at(2), session: null, earlier: 1 },
    { ...answer, at: at(3), session: 'n2', earlier: 1 },
  ]
  for (const one of all) appendAnswer(folder, one)
  const log = new AnswerLog(folder)
  log.look(() => {})
  expect(log.of('n1', 0)).toEqual(all.slice(0, 2))
  expect(log.of('n2', 1)).toEqual(all.slice(2))
})

test('a file that cannot be read is reported once for each change, and the chat goes without it', () => {
  const folder = scratchFolder()
  mkdirSync(answersFile(folder))
  const log = new AnswerLog(folder)
  const troubles: string[] = []
  const look = (): boolean => log.look((trouble) => troubles.push(trouble))
  expect([look(), look(), log.of('n1', 0)]).toEqual([true, false, []])
  expect(troubles).toEqual([expect.stringMatching(/^the recorded answers cannot be read: /)])
  const other = scratchFolder()
  appendFileSync(answersFile(other), 'not JSON\n')
  const damaged = new AnswerLog(other)
  expect([damaged.look(() => {}), damaged.of('n1', 0)]).toEqual([true, []])
})
