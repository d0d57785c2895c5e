import { type ChildProcess, spawn } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { IonError } from '../../platform/error.ts'
import { findExecutable } from '../../platform/executable.ts'
import { type Io, programEnvironment } from '../../platform/io.ts'

/**
 * What comes between the emulator and the command, each word of which stays an argument of its own. `$TERMINAL` of an unknown name
 * takes `-e`, as most do.
 */
const SEPARATORS: Readonly<Record<string, readonly string[]>> = {
  'gnome-terminal': ['--'],
  'mate-terminal': ['-x'],
  'xfce4-terminal': ['-x'],
  terminator: ['-x'],
  'xdg-terminal-exec': [],
  kitty: [],
  foot: [],
  wezterm: ['start', '--'],
}

const EMULATORS = ['x-terminal-emulator', 'gnome-terminal', 'konsole', 'xterm'] as const

/** An emulator that cannot open its window ends within this time; most of those that can are running until the window closes. */
const START_MS = 700

/** The terminal emulator with a command; undefined where no window can be opened. */
function terminalCommand(argv: readonly string[], io: Io): readonly string[] | undefined {
  const { TERMINAL, DISPLAY, WAYLAND_DISPLAY } = io.env
  if (io.platform === 'darwin') return ['/usr/bin/open', '-a', 'Terminal']
  if (!DISPLAY && !WAYLAND_DISPLAY) return undefined
  for (const name of [...(TERMINAL ? [TERMINAL] : []), ...EMULATORS]) {
    const program = findExecutable([name], io)
    if (program) return [program, ...(SEPARATORS[basename(name)] ?? ['-e']), ...argv]
  }
  return undefined
}

export function opensTerminal(io: Io): boolean {
  return terminalCommand([], io) !== undefined
}

/** Throws `refused` if no terminal can be opened. */
export function requireTerminal(io: Io): void {
  if (opensTerminal(io)) return
  throw new IonError('refused', 'no terminal can be opened on this machine', { hint: 'copy the command instead' })
}

/** Opens a window that runs the command. Throws `refused` if no terminal can be opened, or the emulator fails to start. */
export async function openTerminal(argv: readonly string[], io: Io): Promise<void> {
  requireTerminal(io)
  const isMac = io.platform === 'darwin'
  const script = isMac ? terminalScript(argv) : undefined
  const [program, ...args] = [...terminalCommand(argv, io)!, ...(script === undefined ? [] : [script])]
  const child = spawn(program!, args, { cwd: io.home, detached: true, stdio: 'ignore', env: programEnvironment(io) })
  const why = await failureOf(child)
  child.unref()
  if (why === undefined) return
  if (script !== undefined) rmSync(dirname(script), { recursive: true, force: true })
  throw new IonError('refused', `${basename(program!)} opened no terminal: ${why}`, {
    hint: 'copy the command instead',
  })
}

/** Why a program that opens a window did not; undefined if it runs, or has passed the command on to one that does. */
function failureOf(child: ChildProcess): Promise<string | undefined> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(undefined), START_MS)
    const end = (why: string | undefined): void => {
      clearTimeout(timer)
      resolve(why)
    }
    child.on('error', ({ message }) => end(message))
    child.once('exit', (code, signal) =>
      end(code === 0 ? undefined : `it ended at once (${signal ?? `exit code ${code}`})`),
    )
  })
}

/** The Terminal of macOS takes a file to run, not a command. */
export function terminalScript(argv: readonly string[]): string {
  const file = join(mkdtempSync(join(tmpdir(), 'ion-resume-')), 'resume.command')
  const line = argv.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ')
  writeFileSync(file, `#!/bin/sh\nrm -f "$0"\nrmdir "\${0%/*}"\nexec ${line}\n`)
  chmodSync(file, 0o700)
  return file
}
