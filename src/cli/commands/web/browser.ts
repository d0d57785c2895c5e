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

/**
 * Undefined where no window can be opened. `$BROWSER` may name several commands, separated by colons, of which the first that is
 * installed is used; `%s` is the place of the address, which is the last argument otherwise. It is not run by a shell.
 */
function browserCommand(link: string, io: Io): readonly string[] | undefined {
  const { BROWSER, DISPLAY, WAYLAND_DISPLAY } = io.env
  for (const choice of (BROWSER ?? '').split(':')) {
    const [name, ...args] = choice.trim().split(/\s+/)
    const program = name ? findExecutable([name], io) : undefined
    if (!program) continue
    const isPlaced = args.some((arg) => arg.includes('%s'))
    return [program, ...(isPlaced ? args.map((arg) => arg.replaceAll('%s', () => link)) : [...args, link])]
  }
  if (io.platform === 'darwin') return ['/usr/bin/open', link]
  if (!DISPLAY && !WAYLAND_DISPLAY) return undefined
  const opener = findExecutable(['xdg-open'], io)
  return opener ? [opener, link] : undefined
}
