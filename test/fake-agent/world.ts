import { appendFileSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { isatty } from 'node:tty'
import type { Io } from '../../src/platform/io.ts'
import type { FakeWorld } from './fake.ts'
import { isTearing, reach } from './steps.ts'

export function fakeWorld(io: Io, stdin?: string): FakeWorld {
  return {
    io,
    cwd: io.cwd,
    stdin: () => stdin ?? (isatty(0) ? '' : readFileSync(0, 'utf8')),
    append(path, line) {
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
      if (isTearing(io)) {
        appendFileSync(path, line.slice(0, line.length / 2), { mode: 0o600 })
        reach('torn', io)
      }
      appendFileSync(path, `${isTorn(path) ? '\n' : ''}${line}\n`, { mode: 0o600 })
    },
    replace(path, content) {
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
      if (isTearing(io)) {
        writeFileSync(`${path}.tmp`, content.slice(0, content.length / 2), { mode: 0o600 })
        reach('torn', io)
      }
      writeFileSync(`${path}.tmp`, content, { mode: 0o600 })
      renameSync(`${path}.tmp`, path)
    },
    now: () => io.now().toISOString(),
  }
}

/** Agents that append start a new line after a torn one. */
function isTorn(path: string): boolean {
  return existsSync(path) && !/(^|\n)$/.test(readFileSync(path, 'utf8'))
}
