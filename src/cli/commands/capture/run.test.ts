import { expect, test } from 'vitest'
import { fakeContext } from '../../../../test/support/fake-terminal.ts'
import { scratchIo } from '../../../../test/support/scratch.ts'
import type { CompressionResult } from '../../../archive/log-compression.ts'
import { reportCompression } from './run.ts'

const nothing: CompressionResult = { logs: 0, before: 0, after: 0, left: 0, problems: [] }
const some: CompressionResult = { logs: 2, before: 64e6, after: 9.1e6, left: 0, problems: [] }

test.each([
  ['nothing', nothing, false, '', ''],
  ['everything', some, false, 'compressed 2 old logs: 64 MB to 9.1 MB\n', ''],
  [
    'some of them',
    { ...some, left: 1200 },
    false,
    'compressed 2 old logs: 64 MB to 9.1 MB; 1,200 more logs next time\n',
    '',
  ],
  ['errors', { ...nothing, left: 1, problems: ['a\x1b[31m: damaged'] }, false, '', 'ion: not compressed: a: damaged\n'],
  ['only errors with --json', { ...some, problems: ['x'] }, true, '', 'ion: not compressed: x\n'],
])('%s', (_name, result, json, out, err) => {
  const context = fakeContext(scratchIo())
  reportCompression(result, json, context)
  expect([context.out.text, context.err.text]).toEqual([out, err])
})
