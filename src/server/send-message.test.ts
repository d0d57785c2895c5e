import { expect, test } from 'vitest'
import type { Chat } from './chat.ts'
import { isGlued, sendMessage } from './send-message.ts'

/** A chat whose agent completes a word with an at sign at Enter, as long as nothing follows it. */
function completing() {
  const prompts: string[] = []
  const view = { input: '', screen: '', state: 'waiting' }
  const chat = {
    messages: [],
    status: { status: 'stable', waiting_for: null, exited: null },
    beginSending() {},
    endSending() {},
    transcript: {
      lookSoon() {},
      get conversation() {
        return { prompts: prompts.length }
      },
    },
    host: {
      view,
      type: async (text: string) => {
        const isSent = text === '\r' && !/@\w+$/.test(view.input)
        if (isSent) prompts.push(view.input)
        view.input = isSent ? '' : text === '\r' ? view.input.replace(/@\w+$/, '@README.md ') : view.input + text
        view.screen = view.input
        return true
      },
    },
  } as unknown as Chat
  return { chat, prompts }
}

test('a message that ends with a word that the agent would complete arrives unchanged', async () => {
  const { chat, prompts } = completing()
  await sendMessage(chat, 'look at @READ')
  await sendMessage(chat, 'look at @READ and @me.')
  expect(prompts.map((prompt) => prompt.trim())).toEqual(['look at @READ', 'look at @READ and @me.'])
})

test('text that was in the input box before a message is noticed, also before a folded paste', () => {
  expect(isGlued('a complete one', 'a complete one')).toBe(false)
  expect(isGlued('', 'a complete one')).toBe(false)
  expect(isGlued('first line\nsecond line', 'first line\nsecond line')).toBe(false)
  expect(
    isGlued('the end of a long message that scrolls', `${'x'.repeat(900)} the end of a long message that scrolls`),
  ).toBe(false)
  expect(isGlued('[Pasted text #1 +40 lines]', 'x\n'.repeat(41))).toBe(false)
  expect(isGlued('no no no', 'no no no')).toBe(false)
  expect(isGlued('half a thoughta complete one', 'a complete one')).toBe(true)
  expect(isGlued('a complete onea complete one', 'a complete one')).toBe(true)
  expect(isGlued('half a thought[Pasted text #1 +40 lines]', 'x\n'.repeat(41))).toBe(true)
})

test('a message on which the agent worked for a moment was accepted, even if it is never stored', async () => {
  const waiting = { state: 'waiting', input: '', isWorking: false, screen: 'ready' }
  let view = waiting
  const host = {
    get view() {
      return view
    },
    async type(text: string) {
      if (text !== '\r') view = { ...waiting, input: text, screen: text }
      else {
        view = { ...waiting, state: 'working', isWorking: true, screen: 'working' }
        // The service refuses it.
        setTimeout(() => (view = { ...waiting, screen: 'API error' }), 100)
      }
      return true
    },
  }
  const sent: unknown[] = []
  const chat = {
    host,
    messages: [],
    status: { status: 'stable', waiting_for: null, exited: null },
    transcript: { conversation: { prompts: 0 }, lookSoon() {} },
    beginSending() {},
    endSending: (text?: string) => void sent.push(text),
  } as unknown as Chat
  await sendMessage(chat, 'go on')
  expect(sent).toEqual(['go on'])
})
