import { expect, test } from 'vitest'
import { toJsonText } from '../platform/json-text.ts'
import { agentapiUpdateJson, textMessage } from './message.ts'

test.each([
  ['ASCII', 'x'],
  ['quotes', '"'],
  ['controls, which are escaped', '\u009b'],
  ['marks of text direction', '\u202e'],
  ['text outside of the BMP', '😀'],
])('an event for AgentAPI is short enough as it is sent: %s', (_name, character) => {
  const text = character.repeat(60_000)
  const update = agentapiUpdateJson({ id: 7, time: '2026-11-16T09:00:00Z', ...textMessage('agent', text) })
  expect(Buffer.byteLength(toJsonText(update))).toBeLessThan(128 * 1024)
})
