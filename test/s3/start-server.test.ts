import { join } from 'node:path'
import { expect, test } from 'vitest'
import { scratchFolder } from '../support/scratch.ts'
import { startServer, versitygw } from './servers.ts'

test('a server that cannot be started is an error of its start, not of the process', async () => {
  const program = join(scratchFolder(), 'no-such-program')
  await expect(startServer(versitygw, program)).rejects.toThrow(
    /^versitygw did not start: spawn .*no-such-program ENOENT/,
  )
})
