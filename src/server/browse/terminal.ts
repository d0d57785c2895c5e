import { spawn } from 'node:child_process'
import { chmodSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { IonError } from '../../platform/error.ts'
import { findExecutable } from '../../platform/executable.ts'
import { type Io, programEnvironment } from '../../platform/io.ts'

/** What comes between the emulator and the command. `$TERMINAL` of an unknown name takes `-e`, as most do. */
const SEPARATORS: Readonly<Record<string, readonly string[]>> = {
  'gnome-terminal': ['--'],
  'x-terminal-emulator': ['-e'],
  kitty: [],
  foot: [],
  wezterm: ['start', '--'],
  konsole: ['-e'],
  xterm: ['-e'],
}

const EMULATORS = ['x-terminal-emulator', 'gnome-terminal', 'konsole', 'xterm'] as const

/** The terminal emulator with a command; undefined where no window can be opened. */
function terminalCommand(argv: readonly string[], io: Io): readonly string[] | undefined {
  const { TERMINAL, DISPLAY, WAYLAND_DISPLAY } = io.env
  if (io.platform === 'darwin') return ['/usr/bin/open', '-a', 'Terminal']
  if (!DISPLAY && !WAYLAND_DISPLAY) return undefined
  for (const name of [...(TERMINAL ? [TERMINAL] : []), ...EMULATORS]) {
    const program = findExecutable([name], io)
    if (program) return [program, ...(SEPARATORS[name.split('/').at(-1)!] ?? ['-e']), ...argv]
  }
  return undefined
}

export function opensTerminal(io: Io): boolean {
  return terminalCommand([], io) !== undefined
}

/** Opens a window that runs the command. Throws `refused` if no terminal can be opened. */
export function openTerminal(argv: readonly string[], io: Io): void {
  const command = terminalCommand(argv, io)
  if (!command) {
    throw new IonError('refused', 'no terminal can be opened on this machine', { hint: 'copy the command instead' })
  }
  const [program, ...args] = io.platform === 'darwin' ? [...command, scriptOf(argv)] : command
  const child = spawn(program!, args, { cwd: io.home, detached: true, stdio: 'ignore', env: programEnvironment(io) })
  child.on('error', () => {})
  child.unref()
}

/** The Terminal of macOS takes a file to run, not a command. */
function scriptOf(argv: readonly string[]): string {
  const file = join(mkdtempSync(join(tmpdir(), 'ion-resume-')), 'resume.command')
  const line = argv.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ')
  writeFileSync(file, `#!/bin/sh\nrm -f "$0"\nexec ${line}\n`)
  chmodSync(file, 0o700)
  return file
}
