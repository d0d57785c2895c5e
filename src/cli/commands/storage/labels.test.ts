import { expect, test } from 'vitest'
import { scratchFolder, scratchIo } from '../../../../test/support/scratch.ts'
import { disksOf } from '../../../storage/disks.ts'
import { diskText } from './labels.ts'

const titleOf = (agent: string): string => agent.toUpperCase()
const place = (agent: string, path: string, minimumBytes: number) => ({ agent, path, minimumBytes })

test('too little room: the agents that needs more are named, each once', () => {
  const io = scratchIo()
  const inside = { bavail: 40, blocks: 1000, bsize: 1e6 }
  const places = [place('a', io.home, 50e6), place('a', io.cwd, 50e6), place('b', io.home, 10e6)]
  const disks = disksOf(places, () => inside)
  expect(disks[0]).toEqual({
    kind: 'disk',
    agent: 'a',
    path: io.home,
    device: expect.any(Number),
    free_bytes: 40e6,
    total_bytes: 1e9,
    minimum_bytes: 50e6,
    enough: false,
  })
  expect(disks.map(({ agent, enough }) => [agent, enough])).toEqual([
    ['a', false],
    ['a', false],
    ['b', true],
  ])
  expect(diskText(disks, titleOf, io)).toEqual([
    { text: '40 MB free of 1 GB: ~, ~, ~', warns: true },
    { text: '! A needs 50 MB: free some space', warns: true },
  ])
})

test('a file system that reports nothing, by an error or by having no size', () => {
  const io = scratchIo()
  const unknown = { kind: 'disk', agent: 'a', path: io.home, device: expect.any(Number), minimum_bytes: 1 }
  const nothing = [{ ...unknown, free_bytes: null, total_bytes: null, enough: null }]
  const refuse = (): never => {
    throw new Error('ENOSYS')
  }
  expect(disksOf([place('a', io.home, 1)], refuse)).toEqual(nothing)
  const sizeless = disksOf([place('a', io.home, 1)], () => ({ bavail: 0, blocks: 0, bsize: 4096 }))
  expect(sizeless).toEqual(nothing)
  expect(diskText(sizeless, titleOf, io)).toEqual([{ text: 'free space unknown: ~', warns: false }])
})

test('one sentence for each file system, with the first paths on it', () => {
  const io = scratchIo()
  const disk = (device: number, path: string) => ({
    ...disksOf([place('a', scratchFolder(), 1)])[0]!,
    device,
    path,
    free_bytes: device * 1e9,
    total_bytes: 9e9,
  })
  const disks = [disk(1, '/a'), disk(2, '/mnt/x'), disk(1, '/b'), disk(1, '/c'), disk(1, '/d'), disk(1, '/e')]
  expect(diskText(disks, titleOf, io)).toEqual([
    { text: '1 GB free of 9 GB, enough: /a, /b, /c, 2 more', warns: false },
    { text: '2 GB free of 9 GB, enough: /mnt/x', warns: false },
  ])
})
