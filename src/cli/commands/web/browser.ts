import { spawn } from 'node:child_process'
import { findExecutable } from '../../../platform/executable.ts'
import { type Io, programEnvironment } from '../../../platform/io.ts'
import { palette } from '../../colour.ts'
import type { Context } from '../../command.ts'

/** Opens an address in the user's browser. Without a browser, the link that was printed is enough. */
export function openInBrowser(link: string, { io, err }: Context): void {
  const command = browserCommand(link, io)
  if (!command) {
    err.write(
      `${palette(err).faint('no browser can be opened here: open the link on a machine that reaches this port')}\n`,
    )
    return
  }
  const [program, ...args] = command
  const child = spawn(program!, args, { stdio: 'ignore', detached: true, env: programEnvironment(io) })
  child.on('error', () => {})
  child.unref()
}

/** Undefined where no window can be opened. `$BROWSER` may name several, separated by colons, with a place for the address. */
function browserCommand(link: string, io: Io): readonly string[] | undefined {
  const { BROWSER, DISPLAY, WAYLAND_DISPLAY } = io.env
  for (const choice of (BROWSER ?? '').split(':').filter((one) => one.trim() !== '')) {
    const words = choice.trim().split(/\s+/)
    const program = findExecutable([words[0]!], io)
    if (!program) continue
    const args = words.slice(1)
    return [program, ...(args.includes('%s') ? args.map((arg) => (arg === '%s' ? link : arg)) : [...args, link])]
  }
  if (io.platform === 'darwin') return ['/usr/bin/open', link]
  if (!DISPLAY && !WAYLAND_DISPLAY) return undefined
  const opener = findExecutable(['xdg-open'], io)
  return opener ? [opener, link] : undefined
}
