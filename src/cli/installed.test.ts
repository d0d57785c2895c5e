import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { fakeContext } from '../../test/support/fake-terminal.ts'
import { scratchIo } from '../../test/support/scratch.ts'
import { agentPrograms } from '../agents/_programs.ts'
import { installedAgents } from './installed.ts'

test('a program that is slow to print its version: a terminal shows progress and clears it', async () => {
  const io = scratchIo()
  const bin = join(io.home, 'bin')
  const go = join(io.home, 'go')
  mkdirSync(bin)
  writeFileSync(join(bin, 'codex'), `#!/bin/sh\nwhile [ ! -e ${go} ]; do sleep 0.05; done\necho codex-cli 1.2.3\n`)
  chmodSync(join(bin, 'codex'), 0o755)
  let now = io.now().getTime()
  const slow = { ...io, env: { ...io.env, PATH: `${bin}:/usr/bin:/bin` }, now: () => new Date((now += 600)) }
  const context = fakeContext(slow, {}, { isTTY: true })
  const installed = installedAgents(agentPrograms, context)
  await vi.waitFor(() => expect(context.err.text).toContain('asking for versions: '), { timeout: 20_000 })
  writeFileSync(go, '')
  const found = (await installed).filter(({ program }) => program !== undefined)
  expect(found.map(({ agent }) => agent.id)).toEqual(['codex'])
  expect(context.err.text.endsWith('\r\x1b[K')).toBe(true)
})

test('a version is cached; a program that did not print one is asked again', async () => {
  const io = scratchIo()
  const bin = join(io.home, 'bin')
  const answer = join(io.home, 'answer')
  mkdirSync(bin)
  writeFileSync(join(bin, 'codex'), `#!/bin/sh\ncat ${answer} 2> /dev/null\n`)
  chmodSync(join(bin, 'codex'), 0o755)
  const context = fakeContext({ ...io, env: { ...io.env, PATH: `${bin}:/usr/bin:/bin` } })
  const versions: (string | undefined)[] = []
  for (const said of ['', 'codex-cli 1.2.3', 'codex-cli 4.5.6']) {
    writeFileSync(answer, said)
    const installed = await installedAgents(agentPrograms, context)
    versions.push(installed.find(({ program }) => program !== undefined)?.version)
  }
  expect(versions).toEqual([undefined, '1.2.3', '1.2.3'])
})
