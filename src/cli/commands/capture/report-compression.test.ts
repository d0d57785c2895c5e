import { expect, test } from 'vitest'
import { fakeContext } from '../../../../test/support/fake-terminal.ts'
import { scratchIo } from '../../../../test/support/scratch.ts'
import type { CompressionResult } from '../../../archive/compress-old-logs.ts'
import { tellCooled } from './report-compression.ts'

const nothing: CompressionResult = { logs: 0, before: 0, after: 0, left: 0, problems: [] }
const some: CompressionResult = { logs: 2, before: 64e6, after: 9.1e6, left: 0, problems: [] }

test.each([
  ['nothing', nothing, {}, '', ''],
  ['all that was due', some, {}, 'compressed 2 old logs: 64 MB to 9.1 MB\n', ''],
  [
    'a part',
    { ...some, left: 1200 },
    {},
    'compressed 2 old logs: 64 MB to 9.1 MB; 1,200 more logs at the next time\n',
    '',
  ],
  [
    'what went wrong',
    { ...nothing, left: 1, problems: ['a\x1b[31m: damaged'] },
    {},
    '',
    'ion: not compressed: a: damaged\n',
  ],
  ['only what went wrong, to a program', { ...some, problems: ['x'] }, { json: true }, '', 'ion: not compressed: x\n'],
])('%s', (_name, cooled, options, out, err) => {
  const context = fakeContext(scratchIo())
  tellCooled(cooled, options, context)
  expect([context.out.text, context.err.text]).toEqual([out, err])
})
