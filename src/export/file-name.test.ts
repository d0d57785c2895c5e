import fc from 'fast-check'
import { expect, test } from 'vitest'
import { exportFileName } from './file-name.ts'

const session = { id: '3f2a9c1d-8e7b-4a5f-8c3d-2e1f0a9b8c7d', agent: 'an-agent', title: null, created_at: null }

test('day, agent, title and id', () => {
  expect([
    exportFileName(
      { ...session, title: 'Fix the Cart: ½ price, Größe & Café!', created_at: '2026-03-12T14:00:00.000Z' },
      'md',
    ),
    exportFileName({ ...session, title: '../../etc/passwd\0' }, 'html'),
    exportFileName({ ...session, title: '日本語' }, 'jsonl'),
    exportFileName({ ...session, title: 'Łódź, Ærø: smørrebrød über Straßen' }, 'md'),
  ]).toEqual([
    '2026-03-12-an-agent-fix-the-cart-1-2-price-grosse-cafe-3f2a9c1d.md',
    'undated-an-agent-etc-passwd-3f2a9c1d.html',
    'undated-an-agent-3f2a9c1d.jsonl',
    'undated-an-agent-lodz-aero-smorrebrod-uber-strassen-3f2a9c1d.md',
  ])
})

test('safe on every file system', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary' }),
      fc.string({ unit: 'binary' }),
      fc.option(fc.string()),
      (title, agent, created_at) => {
        expect(exportFileName({ ...session, title, agent, created_at }, 'md')).toMatch(/^[a-z0-9][a-z0-9-]{0,110}\.md$/)
      },
    ),
  )
})
