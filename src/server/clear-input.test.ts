import { expect, test } from 'vitest'
import type { Chat } from './chat.ts'
import { clearInput } from './clear-input.ts'

/** An agent's input box with the cursor at its end, and the keys that were pressed. */
function box(text: string) {
  const keys: string[] = []
  const view = { input: text.trim(), screen: text }
  const host = {
    view,
    type: async (key: string) => {
      keys.push(key)
      if (key === '\x15') view.screen = view.screen.replace(/[^\n]*$/, '')
      if (key === '\x7f') view.screen = view.screen.slice(0, -1)
      view.input = view.screen.trim()
      return true
    },
  } as unknown as Chat['host']
  return { host, view, keys }
}

test('several lines are deleted without waiting for keys that have no effect', async () => {
  const { host, view, keys } = box('first\nsecond\nthird')
  expect(await clearInput({ host }, performance.now() + 10_000)).toBe(true)
  expect(view.input).toBe('')
  expect(keys).toEqual(['\x15', '\x7f', '\x15', '\x7f', '\x15'])
})

test('text that does not disappear is reported', async () => {
  const { host, view } = box('stays')
  host.type = async () => true
  expect(await clearInput({ host }, performance.now() + 10)).toBe(false)
  expect(view.input).toBe('stays')
})
