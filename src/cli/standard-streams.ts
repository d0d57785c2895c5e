import { fstatSync, writeSync } from 'node:fs'
import type { Colour } from '../config/config.ts'
import { attempt, messageOf } from '../platform/error.ts'
import { describeFsError } from './fs-error-message.ts'
import { type Terminal, terminalOf } from './terminal.ts'

type Env = Readonly<Record<string, string | undefined>>

export interface StandardTerminals {
  readonly out: Terminal
  readonly err: Terminal
}

export function standardTerminals(env: Env, colour: Colour): StandardTerminals {
  process.stdout.on('error', onOutputError)
  // If stderr cannot be written, the error cannot be reported either.
  process.stderr.on('error', () => {})
  return { out: terminalOf(process.stdout, env, colour), err: terminalOf(process.stderr, env, colour) }
}

/**
 * The same into pipes and files, without the streams: creating them takes longer than a short answer. Undefined
 * where one of them is a terminal or another device.
 */
export function directTerminals(env: Env, colour: Colour): StandardTerminals | undefined {
  const isDevice = (fd: number): boolean => attempt(() => fstatSync(fd).isCharacterDevice()) ?? true
  if (isDevice(1) || isDevice(2)) return undefined
  let streams: StandardTerminals | undefined
  /** A pipe whose reader is slow may refuse more: streams wait for it. */
  const waiting = (): StandardTerminals => (streams ??= standardTerminals(env, colour))
  const direct = (
    fd: 1 | 2,
    name: keyof StandardTerminals,
    onError: (error: NodeJS.ErrnoException) => void,
  ): Terminal => ({
    ...terminalOf({ isTTY: false } as never, env, colour),
    drained: async () => streams?.[name].drained?.(),
    write(text) {
      if (streams) return streams[name].write(text)
      let left = Buffer.from(text)
      try {
        while (left.length > 0) left = left.subarray(writeSync(fd, left))
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'EAGAIN') waiting()[name].write(left.toString())
        else onError(error as NodeJS.ErrnoException)
      }
    },
  })
  return { out: direct(1, 'out', onOutputError), err: direct(2, 'err', () => {}) }
}

/** A reader that stops early (`| head`) is not an error. */
function onOutputError(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE') process.exit(0)
  const { what, hint } = describeFsError(error) ?? { what: messageOf(error), hint: 'write it to another place' }
  process.stderr.write(`ion: cannot write the output: ${what}\n  -> ${hint}\n`)
  process.exit(1)
}
