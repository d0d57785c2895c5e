import { expect, test } from 'vitest'
import { activityOf, isMet, questionKey, readScreen } from './activity.ts'

const trust = { id: 'trust', asks: 'asks whether you trust this folder' }
const look = {
  quietMs: 500,
  text: 'Do you trust it?',
  reading: { question: null },
  questionMs: 0,
  start: { screens: [{ ...trust, pattern: /Do you trust/ }] },
  expected: [],
  isOpening: false,
}
const working = { state: 'working', dialog: null, question: null }
const question = { text: 'Run it?', details: 'rm -rf build', choices: ['Yes', 'No'], marked: 0 }

test('a dialog is reported once the screen is drawn', () => {
  expect(activityOf(look)).toEqual({ state: 'waiting', dialog: trust, question: null })
  expect(activityOf({ ...look, quietMs: 100 })).toEqual(working)
})

test('without a dialog, silence is waiting', () => {
  expect(activityOf({ ...look, text: 'thinking' })).toEqual(working)
  expect(activityOf({ ...look, text: 'thinking', quietMs: 5000 })).toEqual({ ...working, state: 'waiting' })
})

test('an expected dialog is reported when the agent is silent and the prompt has not arrived', () => {
  const expected = [{ id: 'onboarding', asks: 'shows its first-run pages', certain: true }]
  const silent = { ...look, text: 'Pick a colour', quietMs: 5000 }
  expect(activityOf({ ...silent, expected })).toEqual({
    state: 'waiting',
    dialog: { id: 'onboarding', asks: 'shows its first-run pages' },
    question: null,
  })
  expect(activityOf({ ...silent, expected, quietMs: 500 })).toEqual(working)
})

test('a question is reported when it has been on the screen for a moment, whatever moves around it', () => {
  const asking = { ...look, text: 'Run it?', reading: { input: null, question } }
  const asked = { state: 'waiting', dialog: { id: 'question', asks: 'asks: Run it?' }, question, input: null }
  expect(activityOf(asking)).toEqual(asked)
  expect(activityOf({ ...asking, quietMs: 50, questionMs: 5000 })).toEqual(asked)
  expect(activityOf({ ...asking, quietMs: 50, questionMs: 50 })).toEqual({ ...working, input: null })
})

test("with the input box on the screen, a dialog's words are part of the conversation", () => {
  const talking = { ...look, reading: { input: '', question: null }, quietMs: 5000 }
  expect(activityOf(talking)).toEqual({ ...working, state: 'waiting', input: '' })
  const rows = ['❯ 1. Yes', '  2. No', '> '].map((text) => ({ text, vivid: text }))
  expect(readScreen(rows, { readInput: () => '' })).toEqual({ input: '', question: null })
  expect(readScreen(rows, { readInput: () => undefined }).question?.choices).toEqual(['Yes', 'No'])
})

test('where the input box is not known, only the adapter can tell a question from a list in an answer', () => {
  const rows = ['● 1. Read the log', '  2. Run the tests'].map((text) => ({ text, vivid: text }))
  expect(readScreen(rows, {})).toEqual({ question: null })
  expect(readScreen(rows, { readQuestion: () => question })).toEqual({ question })
})

test('a quiet screen that is neither the box nor a question is unknown, except where agents hide the box at work', () => {
  const odd = { ...look, text: 'Choose a colour', reading: { input: null, question: null }, quietMs: 5000 }
  expect(activityOf(odd)).toEqual({
    state: 'waiting',
    dialog: { id: 'unknown', asks: 'shows a screen that Ion does not know' },
    question: null,
    input: null,
  })
  expect(activityOf({ ...odd, quietMs: 500 })).toEqual({ ...working, input: null })
  expect(activityOf({ ...odd, start: { hidesInputWhileWorking: true } })).toEqual({ ...working, input: null })
})

test('before the box was shown for the first time, such a screen may be a part of the first one', () => {
  const part = { ...look, text: '[Current] Sessions', reading: { input: null, question: null }, isOpening: true }
  expect(activityOf({ ...part, quietMs: 5000 })).toEqual({ ...working, input: null })
  expect(activityOf({ ...part, quietMs: 11_000 }).dialog?.id).toBe('unknown')
  const expected = [{ id: 'onboarding', asks: 'shows its first-run pages', certain: true }]
  expect(activityOf({ ...part, quietMs: 5000, expected }).dialog?.id).toBe('onboarding')
})

test('an agent that hides the box while it works waits as soon as the empty box is drawn', () => {
  const box = {
    ...look,
    text: '> ',
    reading: { input: '', question: null },
    start: { hidesInputWhileWorking: true },
  } as const
  expect(activityOf(box)).toEqual({ state: 'waiting', dialog: null, question: null, input: '', isAtInput: true })
  expect(activityOf({ ...box, quietMs: 100 })).toEqual({ ...working, input: '' })
  // What it was sent is still in it.
  expect(activityOf({ ...box, reading: { input: 'fix it', question: null } })).toEqual({ ...working, input: 'fix it' })
})

test('text is typed only while the screen shows what it was meant for', () => {
  const [asking, box] = [
    { input: null, question },
    { input: 'half', question: null },
  ]
  const key = questionKey(question)
  expect(isMet({ question: key }, { ...asking, question: { ...question, marked: 1 } })).toBe(true)
  expect(isMet({ question: key }, { ...asking, question: { ...question, details: 'rm -rf src' } })).toBe(false)
  expect(isMet({ question: key }, box)).toBe(false)
  expect([isMet({ question: null }, asking), isMet({ question: null }, box)]).toEqual([false, true])
  expect([isMet({ isFilled: true }, box), isMet({ isFilled: true }, { ...box, input: '' })]).toEqual([true, false])
  expect([isMet({ isFilled: true }, asking), isMet({ isFilled: true }, { question: null })]).toEqual([false, true])
})

test('an agent whose screen says when it works, works as long as it says so, and waits as soon as it does not', () => {
  const start = { readInput: () => '', isWorking: () => true }
  const reading = readScreen([], start)
  expect(reading).toEqual({ input: '', question: null, isWorking: true })
  expect(activityOf({ ...look, start, reading, quietMs: 5000 })).toEqual({ ...working, input: '', isWorking: true })
  const idle = { ...look, start, reading: { input: '', question: null, isWorking: false } }
  expect(activityOf(idle)).toEqual({ ...idle.reading, state: 'waiting', dialog: null, isAtInput: true })
  expect(activityOf({ ...idle, quietMs: 100 })).toEqual({ ...working, input: '', isWorking: false })
})
