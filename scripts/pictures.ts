// npm run pictures: the screenshots in docs/running.md, taken of real runs with the fake agent in a real terminal.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import pty from '@lydell/node-pty'
import xterm, { type Terminal } from '@xterm/headless'
import { svgOf } from './pictures/svg.ts'

const COLUMNS = 96
const ROWS = 14
const root = fileURLToPath(new URL('..', import.meta.url))
const scratch = mkdtempSync(join(tmpdir(), 'ion-pictures-'))
const shop = join(scratch, 'shop')
const bin = join(scratch, 'bin')
for (const folder of [shop, bin]) mkdirSync(folder)
program('ion', `exec '${process.execPath}' '${join(root, 'dist/ion.cjs')}' "$@"`)
program('claude', `exec '${process.execPath}' '${join(root, 'dist/fake-agent.cjs')}' claude "$@"`)
writeFileSync(
  join(scratch, '.claude.json'),
  JSON.stringify({ hasCompletedOnboarding: true, projects: { [shop]: { hasTrustDialogAccepted: true } } }),
)

const command = 'ion run claude "Find out why some refunds are paid twice"'
await picture('cold-start', [
  [command, 'session'],
  ['/quit', '$ '],
])
await picture('warm-start', [
  [command, 'session'],
  ['And write a test for it', 'I have done it: And'],
  ['/quit', '$ '],
  ['ion sessions --plain', 'refunds'],
])
rmSync(scratch, { recursive: true })

function program(name: string, script: string): void {
  writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
}

/** Types each line, waits until the screen shows the expected text, and saves the final screen. */
async function picture(name: string, lines: readonly (readonly [string, string])[]): Promise<void> {
  const env = {
    HOME: scratch,
    ION_HOME: join(scratch, '.ion'),
    PATH: `${bin}:/usr/bin:/bin`,
    TERM: 'xterm-256color',
    PS1: '$ ',
    LANG: 'C.UTF-8',
  }
  const shell = pty.spawn('/bin/sh', ['-i'], { name: 'xterm-256color', cols: COLUMNS, rows: ROWS, cwd: shop, env })
  const screen = new xterm.Terminal({ cols: COLUMNS, rows: ROWS, allowProposedApi: true })
  shell.onData((data: string) => screen.write(data))
  await shows(screen, '$ ')
  for (const [line, wanted] of lines) {
    const before = text(screen)
    shell.write(`${line}\r`)
    await shows(screen, wanted, before)
  }
  mkdirSync(join(root, 'docs', 'pictures'), { recursive: true })
  writeFileSync(join(root, 'docs', 'pictures', `${name}.svg`), svgOf(screen, { title: name.replace('-', ' ') }))
  shell.kill()
  console.log(`docs/pictures/${name}.svg`)
}

async function shows(screen: Terminal, wanted: string, before?: string): Promise<void> {
  const end = Date.now() + 20_000
  let last = ''
  let since = Date.now()
  for (;;) {
    const now = text(screen)
    if (now !== last) since = Date.now()
    last = now
    if (now !== before && now.includes(wanted) && Date.now() - since > 1500) return
    if (Date.now() > end) throw new Error(`the screen never showed "${wanted}":\n${now}`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

function text(screen: Terminal): string {
  const { active } = screen.buffer
  return Array.from({ length: ROWS }, (_, row) => active.getLine(active.baseY + row)?.translateToString(true)).join(
    '\n',
  )
}
