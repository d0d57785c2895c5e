import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { fakeContext } from '../../test/support/fake-terminal.ts'
import { scratchIo } from '../../test/support/scratch.ts'
import { copyText } from './clipboard.ts'

function withTool(script: string): { io: ReturnType<typeof scratchIo>; copied: string } {
  const io = scratchIo()
  const [bin, copied] = [join(io.home, 'bin'), join(io.home, 'copied')]
  mkdirSync(bin)
  writeFileSync(join(bin, 'wl-copy'), `#!/bin/sh\n${script.replace('FILE', copied)}\n`)
  chmodSync(join(bin, 'wl-copy'), 0o755)
  return { io: { ...io, env: { ...io.env, PATH: `${bin}:/usr/bin:/bin`, WAYLAND_DISPLAY: 'wayland-0' } }, copied }
}

test("the system's tool gets the text, and the terminal nothing", () => {
  const { io, copied } = withTool('cat > "FILE"')
  const context = fakeContext(io)
  expect(copyText('two\nlines é', context)).toBe('wl-copy')
  expect([readFileSync(copied, 'utf8'), context.out.text]).toEqual(['two\nlines é', ''])
})

test('if the tool fails, or there is none, the terminal is asked', () => {
  const context = fakeContext(withTool('exit 1').io, { isTTY: true })
  expect(copyText('text', context)).toBe('terminal')
  expect(context.out.text).toBe('\x1b]52;c;dGV4dA==\x07')
})

test('without a terminal, or with more than one accepts, there is no way', () => {
  const io = scratchIo()
  const bare = { ...io, env: { ...io.env, PATH: '' } }
  expect(copyText('text', fakeContext(bare, { isTTY: false }, { isTTY: false }))).toBeUndefined()
  expect(copyText('x'.repeat(100_000), fakeContext(bare, { isTTY: true }))).toBeUndefined()
})
