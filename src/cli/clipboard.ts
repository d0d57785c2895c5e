import { spawnSync } from 'node:child_process'
import { findExecutable } from '../platform/executable.ts'
import type { Context } from './command.ts'

/** Programs that write to the clipboard what they read, and when they can. */
const tools: readonly { readonly argv: readonly string[]; readonly needs?: string }[] = [
  { argv: ['pbcopy'] },
  { argv: ['wl-copy'], needs: 'WAYLAND_DISPLAY' },
  { argv: ['xclip', '-selection', 'clipboard'], needs: 'DISPLAY' },
  { argv: ['xsel', '--clipboard', '--input'], needs: 'DISPLAY' },
  { argv: ['clip.exe'] },
]

/** One without its display may wait for ever. */
const TOOL_MS = 3000
/** Terminals ignore longer sequences. */
const MAX_SEQUENCE = 74_994

/**
 * Copies to the clipboard: with the system's tool, else through the terminal (OSC 52), which works over SSH too. Returns how,
 * or undefined if there is no way. Not every terminal obeys.
 */
export function copyText(text: string, { io, out, err }: Context): string | undefined {
  for (const { argv, needs } of tools) {
    if (needs !== undefined && !io.env[needs]) continue
    const program = findExecutable([argv[0]!], io)
    if (!program) continue
    const { status } = spawnSync(program, argv.slice(1), {
      input: text,
      env: io.env,
      stdio: ['pipe', 'ignore', 'ignore'],
      timeout: TOOL_MS,
    })
    if (status === 0) return argv[0]!
  }
  const terminal = [out, err].find(({ isTTY }) => isTTY)
  const encoded = Buffer.from(text).toString('base64')
  if (!terminal || encoded.length > MAX_SEQUENCE) return undefined
  terminal.write(`\x1b]52;c;${encoded}\x07`)
  return 'terminal'
}
