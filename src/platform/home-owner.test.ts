import { chownSync, mkdirSync, readdirSync } from 'node:fs'
import { userInfo } from 'node:os'
import { dirname } from 'node:path'
import { expect, test, vi } from 'vitest'

vi.mock('node:os', async (actual) => {
  const os = await actual<typeof import('node:os')>()
  return { ...os, userInfo: vi.fn(os.userInfo) }
})

import { scratchIo } from '../../test/support/scratch.ts'
import { isRoot } from '../../test/support/unprivileged.ts'
import { isForeignHome, requireOwnHome } from './home-owner.ts'

const ann = 1000
const bob = 1001
const none = { home: undefined, folder: undefined, sudoUser: undefined }

test.each([
  ['an own home', { ...none, user: ann, home: ann }, false],
  ["another user's home", { ...none, user: ann, home: bob }, true],
  ['a volume of root', { ...none, user: ann, home: 0 }, false],
  ["root with a user's home", { ...none, user: 0, home: ann }, true],
  ['root with its own home', { ...none, user: 0, home: 0, sudoUser: ann }, false],
  ['no home yet', { ...none, user: ann, folder: bob }, false],
  ["root in a container, in a folder of the host's user", { ...none, user: 0, folder: ann }, false],
  ["sudo, in the user's home", { ...none, user: 0, folder: ann, sudoUser: ann }, true],
  ['sudo -i', { ...none, user: 0, folder: 0, sudoUser: ann }, false],
])('%s', (_name, ownership, isForeign) => {
  expect(isForeignHome(ownership)).toBe(isForeign)
})

test.skipIf(!isRoot)("root is refused in a user's home; the message says what to type", () => {
  const io = scratchIo()
  requireOwnHome(io)
  mkdirSync(io.env.ION_HOME!)
  requireOwnHome(io)
  chownSync(io.env.ION_HOME!, 12_345, 12_345)
  expect(() => requireOwnHome(io)).toThrow(
    expect.objectContaining({
      kind: 'refused',
      message: expect.stringContaining('belongs to the user with uid 12345'),
      hint: expect.stringContaining('without sudo'),
    }),
  )
  expect(readdirSync(io.env.ION_HOME!)).toEqual([])
})

test.skipIf(!isRoot)("a host's folder that is mounted below the user's own home is accepted", () => {
  const io = scratchIo()
  mkdirSync(io.env.ION_HOME!)
  chownSync(io.env.ION_HOME!, 12_345, 12_345)
  vi.mocked(userInfo).mockReturnValueOnce({ ...userInfo(), homedir: dirname(io.env.ION_HOME!) })
  requireOwnHome(io)
  vi.mocked(userInfo).mockReturnValueOnce({ ...userInfo(), homedir: '/' })
  expect(() => requireOwnHome(io)).toThrow('belongs to the user with uid 12345')
  vi.mocked(userInfo).mockImplementationOnce(() => {
    throw new Error('no entry in passwd')
  })
  requireOwnHome({ ...io, home: dirname(io.env.ION_HOME!) })
})
