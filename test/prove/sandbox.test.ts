import { expect, test } from 'vitest'
import { inSandbox, sandboxed, waysToIsolate } from './sandbox.ts'

const command = ['node', 'worker.mjs', '--name', "it's here"]

test('root needs no user namespace; anyone else keeps their id if they can', () => {
  expect(waysToIsolate(0)).toEqual([['unshare', '--net']])
  expect(waysToIsolate(1000)).toEqual([
    ['unshare', '--net', '--map-current-user', '--keep-caps'],
    ['unshare', '--net', '--map-root-user'],
  ])
})

test('the command is handed over word by word, never as shell text', () => {
  const argv = inSandbox(command, ['unshare', '--net'])
  expect(argv.slice(0, 5)).toEqual(['unshare', '--net', '--', 'sh', '-c'])
  expect(argv[5]).toMatch(/^\{ ip link set lo up .*\} \|\| exit 97; exec "\$@"$/)
  expect(argv.slice(6)).toEqual(['sandbox', ...command])
})

test('the first way that works is taken', () => {
  const works = (argv: string[]) => (argv.includes('--map-root-user') ? undefined : 'not permitted')
  const way = ['unshare', '--net', '--map-root-user']
  expect(sandboxed(command, { uid: 1000, works })).toEqual({ argv: inSandbox(command, way), isolated: true })
})

test('where nothing works the command runs as it is, and that is said', () => {
  const works = () => 'unshare: unshare failed: Operation not permitted'
  expect(sandboxed(command, { uid: 0, works })).toEqual({
    argv: command,
    isolated: false,
    why: 'unshare: unshare failed: Operation not permitted',
  })
})
