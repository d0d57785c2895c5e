import { expect, test } from 'vitest'
import { seal, sealedFor } from './seal.ts'

test('a seal is the same for the same text, and says whom it was issued to', () => {
  const sealed = seal('org-a', 'hm')
  expect(sealed).toBe(seal('org-a', 'hm'))
  expect(sealed).toMatch(/^[A-Za-z0-9+/]+={0,2}$/)
  expect([sealedFor(sealed), sealedFor(seal('org-b', 'hm'))]).toEqual(['org-a', 'org-b'])
  expect(sealed).not.toBe(seal('org-a', 'hmm'))
})

test.each(['', 'c3R1Yg==', seal('org-a', 'hm').slice(4), Buffer.from('org-a.hm.hm').toString('base64'), undefined])(
  'nobody issued %j',
  (sealed) => {
    expect(sealedFor(sealed)).toBe(undefined)
  },
)
