import type { Socket } from 'node:net'
import { messageOf } from '../platform/error.ts'
import { beforeKey, type DetachKey } from './attach-key.ts'
import type { Size } from './screen.ts'
import { leaveText } from './screen-modes.ts'
import { bytesFrame, type Frame, messageFrame, onFrame } from './wire.ts'

/** The user's terminal. */
export interface UserTerminal {
  readonly input: NodeJS.ReadStream
  readonly output: NodeJS.WriteStream
}

/** Why it ended. */
export type Attached =
  | { readonly how: 'detached' }
  | { readonly how: 'ended'; readonly code: number }
  /** The host has died, or sent something invalid. */
  | { readonly how: 'lost'; readonly why: string }
  | { readonly how: 'signal'; readonly signal: NodeJS.Signals }

const SIGNALS: readonly NodeJS.Signals[] = ['SIGTERM', 'SIGHUP', 'SIGINT', 'SIGQUIT']

/** Shows an agent in the user's terminal and passes on keys, until one of them ends. Restores the terminal. */
export async function attachTo(socket: Socket, { input, output }: UserTerminal, key: DetachKey): Promise<Attached> {
  const sizeOf = (): Size => ({ columns: output.columns || 80, rows: output.rows || 24 })
  let isAlternate = false
  let isMidway = true
  let finish: (outcome: Attached) => void = () => {}
  const finished = new Promise<Attached>((resolve) => (finish = resolve))

  const onKeys = (typed: Buffer): void => {
    const before = beforeKey(typed, key)
    const passed = before ?? typed
    if (passed.length > 0) socket.write(bytesFrame(passed))
    if (before) finish({ how: 'detached' })
  }
  const onOutput = (frame: Frame): void => {
    if (frame.kind === 'bytes') {
      isAlternate = alternateAfter(frame.bytes) ?? isAlternate
      // So the host notices that we are slow, and sends less.
      if (!output.write(frame.bytes)) pauseUntilDrained(socket, output)
    } else if (frame.message.type === 'ended') {
      isMidway = false
      finish({ how: 'ended', code: Number(frame.message.code) })
    }
  }
  const onLost = (error: unknown): void => finish({ how: 'lost', why: messageOf(error) })
  const onResize = (): void => void socket.write(messageFrame({ type: 'resize', ...sizeOf() }))
  const handlers = SIGNALS.map((signal) => [signal, () => finish({ how: 'signal', signal })] as const)

  let isRestored = false
  const restore = (): void => {
    if (isRestored) return
    isRestored = true
    output.write(leaveText(isAlternate, isMidway))
    input.setRawMode(false)
  }

  for (const [signal, handler] of handlers) process.on(signal, handler)
  // Also if this process crashes.
  process.once('exit', restore)
  input.setRawMode(true)
  try {
    input
      .on('data', onKeys)
      .once('end', () => finish({ how: 'detached' }))
      .resume()
    output.on('resize', onResize).once('error', () => finish({ how: 'detached' }))
    onFrame(socket, onOutput, onLost)
    socket.once('error', onLost).once('close', () => onLost('its host is gone'))
    socket.write(messageFrame({ type: 'attach', ...sizeOf() }))
    return await finished
  } finally {
    for (const [signal, handler] of handlers) process.off(signal, handler)
    output.off('resize', onResize)
    input.off('data', onKeys).pause()
    socket.removeAllListeners('data').destroy()
    process.off('exit', restore)
    restore()
  }
}

/** Whether the alternate screen is on after this output; undefined if unchanged. Frames never split a sequence. */
function alternateAfter(bytes: Buffer): boolean | undefined {
  const [on, off] = ['\x1b[?1049h', '\x1b[?1049l'].map((sequence) => bytes.lastIndexOf(sequence, undefined, 'latin1'))
  return on === off ? undefined : on! > off!
}

function pauseUntilDrained(socket: Socket, output: NodeJS.WriteStream): void {
  socket.pause()
  output.once('drain', () => socket.resume())
}
