import { join } from 'node:path'
import { expect, test } from 'vitest'
import { agents } from '../agents/_registry.ts'
import type { BackupSpec } from '../agents/backup.ts'
import { realIo } from '../platform/io.ts'
import { partPath } from './part-content.ts'

const keep: BackupSpec = {
  roots: () => ({ data: '/home/dev/.robot' }),
  files: { data: [/^sessions\/.+\.jsonl$/] },
  parts: () => [],
}
const io = realIo()

test('a part is below its root', () => {
  expect(partPath({ kind: 'file', root: 'data', path: 'sessions/a/b.jsonl' }, keep, io)).toBe(
    join('/home/dev/.robot', 'sessions/a/b.jsonl'),
  )
})

test.each([
  'sessions/../../.ssh/x.jsonl',
  'sessions/./x.jsonl',
  'sessions//x.jsonl',
  'sessions/..\\x.jsonl',
  '/sessions/x.jsonl',
  'settings.json',
])('%s is not', (path) => {
  expect(() => partPath({ kind: 'file', root: 'data', path }, keep, io)).toThrow('is not part of a session')
  expect(() => partPath({ kind: 'file', root: 'other', path: 'sessions/x.jsonl' }, keep, io)).toThrow()
})

test.each(agents.flatMap(({ id, backup: own, secrets }) => (own ? [[id, own, secrets] as const] : [])))(
  'nothing that %s keeps its settings or credentials in belongs to a session',
  (_id, own, secrets) => {
    const settings = ['settings.json', 'config.json', 'config.toml', 'config.yaml', 'hooks.json', '.env', 'auth.json']
    for (const name of [...settings, ...secrets.map((secret) => secret.replaceAll('*', 'x'))]) {
      for (const root of Object.keys(own.files)) {
        expect(() => partPath({ kind: 'file', root, path: name }, own, io)).toThrow()
      }
    }
  },
)
