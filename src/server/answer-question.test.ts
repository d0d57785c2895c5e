import { expect, test } from 'vitest'
import { scratchFolder, scratchIo } from '../../test/support/scratch.ts'
import type { ScreenQuestion } from '../agents/screen.ts'
import { answerQuestion } from './answer-question.ts'
import type { Chat } from './chat.ts'

/** A chat whose agent asks this and continues at the given key, and the keys that were pressed. */
function asking(question: ScreenQuestion, answeredBy: string) {
  const keys: string[] = []
  const view = { question: question as ScreenQuestion | null }
  const choices = question.choices.map((label, index) => ({ key: String(index + 1), label }))
  const chat = {
    task: { folder: scratchFolder() },
    transcript: { state: { past: [] }, conversation: {}, lookSoon() {} },
    get status() {
      return { waiting_for: view.question && { id: 'q', text: question.text, details: '', choices } }
    },
    host: {
      view,
      type: async (text: string) => {
        keys.push(text)
        const step = { '\x1b[C': 1, '\x1b[D': -1, '\x1b[B': 1, '\x1b[A': -1 }[text] ?? 0
        view.question = text === answeredBy ? null : { ...view.question!, marked: view.question!.marked + step }
        return true
      },
    },
  } as unknown as Chat
  return { chat, keys }
}

const question = { text: 'Run it?', details: '', choices: ['Yes', 'No', 'Never'], marked: 0 }

test('the arrow keys move the mark: up and down in a list, left and right in a row', async () => {
  const list = asking({ ...question, marked: 2 }, '\r')
  expect(await answerQuestion(list.chat, { question: 'q', choice: '2' }, scratchIo())).toBeUndefined()
  expect(list.keys).toEqual(['\x1b[A', '\r'])
  const row = asking({ ...question, isRow: true }, '\r')
  expect(await answerQuestion(row.chat, { question: 'q', choice: '3' }, scratchIo())).toBeUndefined()
  expect(row.keys).toEqual(['\x1b[C', '\x1b[C', '\r'])
})

test('without a mark the choice is typed, and nothing else', async () => {
  const { chat, keys } = asking({ ...question, marked: -1, typed: ['y\r', 'n\r', 'd\r'] }, 'n\r')
  expect(await answerQuestion(chat, { question: 'q', choice: '2' }, scratchIo())).toBeUndefined()
  expect(keys).toEqual(['n\r'])
})

test('nothing is typed for another question or an unknown choice', async () => {
  const { chat, keys } = asking({ ...question, marked: -1, typed: ['y\r', 'n\r', 'd\r'] }, 'n\r')
  expect(await answerQuestion(chat, { question: 'other', choice: '2' }, scratchIo())).toMatchObject({ status: 409 })
  expect(await answerQuestion(chat, { question: 'q', choice: '4' }, scratchIo())).toMatchObject({ status: 422 })
  expect(keys).toEqual([])
})
