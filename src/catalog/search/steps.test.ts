import { expect, test } from 'vitest'
import { sampleIo } from '../../../test/support/sample-home.ts'
import { openMemoryCatalog } from '../open.ts'
import { parseQueryText } from './parse-query.ts'

test('a search that finds nothing still has a step for each session, and counts them', () => {
  const io = sampleIo()
  const catalog = openMemoryCatalog(io)
  catalog.refresh()
  const total = catalog.count({ hidden: true, subAgents: true })
  const searched: [number, number][] = []
  const query = { ...parseQueryText('qqqqq', io), order: 'newest' as const, limit: 10 }
  const steps = [...catalog.searchSteps(query, (done, of) => searched.push([done, of]))]
  catalog.close()
  expect(total).toBeGreaterThan(10)
  expect(steps.length).toBeGreaterThanOrEqual(total)
  expect(searched).toEqual(Array.from({ length: total }, (_, index) => [index + 1, total]))
})
