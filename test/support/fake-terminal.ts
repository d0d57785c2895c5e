import type { Context } from '../../src/cli/command.ts'
import type { Terminal } from '../../src/cli/terminal.ts'
import { noConfig } from '../../src/config/config.ts'
import type { Io } from '../../src/platform/io.ts'

export interface FakeTerminal extends Terminal {
  /** Everything written so far. */
  text: string
}

export function fakeTerminal(settings: Partial<Omit<Terminal, 'write'>> = {}): FakeTerminal {
  return {
    isTTY: false,
    columns: 80,
    rows: 24,
    colour: false,
    ...settings,
    text: '',
    write(text) {
      this.text += text
    },
  }
}

export interface FakeContext extends Context {
  readonly out: FakeTerminal
  readonly err: FakeTerminal
}

export function fakeContext(io: Io, out: Partial<Terminal> = {}, err: Partial<Terminal> = {}): FakeContext {
  return { io, out: fakeTerminal(out), err: fakeTerminal(err), config: noConfig }
}
