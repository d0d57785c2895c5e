import { expect, test } from 'vitest'
import { bytesOfKey } from './terminal-keys.ts'

const press = (key: string, held: Partial<Record<'ctrlKey' | 'altKey' | 'metaKey' | 'isComposing', boolean>> = {}) =>
  bytesOfKey({ key, ctrlKey: false, altKey: false, metaKey: false, isComposing: false, ...held })

test.each([
  ['a', {}, 'a'],
  ['é', {}, 'é'],
  ['😀', {}, '😀'],
  ['Enter', {}, '\r'],
  ['ArrowUp', {}, '\x1b[A'],
  ['d', { ctrlKey: true }, '\x04'],
  // These stay with the page and the browser.
  ['c', { ctrlKey: true }, undefined],
  ['v', { ctrlKey: true }, undefined],
  ['Tab', {}, undefined],
  ['Escape', {}, undefined],
  ['Shift', {}, undefined],
  ['a', { metaKey: true }, undefined],
  ['a', { isComposing: true }, undefined],
])('%s with %j types %j', (key, held, expected) => {
  expect(press(key, held)).toBe(expected)
})
