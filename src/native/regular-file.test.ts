import { execFileSync } from 'node:child_process'
import { closeSync, mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { scratchFolder } from '../../test/support/scratch.ts'
import { openRegularFile, readRegularFile } from './regular-file.ts'

test('a regular file is opened and read, also through a link', () => {
  const folder = scratchFolder()
  const path = join(folder, 'file')
  writeFileSync(path, 'text')
  symlinkSync(path, join(folder, 'link'))
  closeSync(openRegularFile(path))
  expect([path, join(folder, 'link')].map((each) => readRegularFile(each).toString())).toEqual(['text', 'text'])
})

test('a pipe, a device, a socket and a folder fail at once', async () => {
  const folder = scratchFolder()
  execFileSync('mkfifo', [join(folder, 'pipe')])
  symlinkSync('/dev/zero', join(folder, 'device'))
  mkdirSync(join(folder, 'folder'))
  const server = createServer().listen(join(folder, 'socket'))
  onTestFinished(() => void server.close())
  await new Promise((resolve) => server.once('listening', resolve))
  expect(() => openRegularFile(join(folder, 'pipe'))).toThrow('not a regular file')
  expect(() => readRegularFile(join(folder, 'device'))).toThrow('not a regular file')
  expect(() => openRegularFile(join(folder, 'socket'))).toThrow('ENXIO')
  expect(() => readRegularFile(join(folder, 'folder'))).toThrow('EISDIR')
})

test('a file that is too large is not read', () => {
  const path = join(scratchFolder(), 'large')
  writeFileSync(path, '')
  truncateSync(path, 3e9)
  expect(() => readRegularFile(path)).toThrow('3000 MB is too much to read at once')
})
