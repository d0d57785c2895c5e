import type { Socket } from 'node:net'

/** A frame on the socket between a host and its clients: terminal bytes, or a message. */
export type Frame =
  | { readonly kind: 'bytes'; readonly bytes: Buffer }
  | { readonly kind: 'message'; readonly message: Readonly<Record<string, unknown>> }

/** Both sides must use the same version; a host may be older than its client. */
export const PROTOCOL = 1

const BYTES = 1
const MESSAGE = 2
/** One byte of kind, four of length. */
const HEADER = 5
/** A redrawn screen with its history has a few hundred KB. A longer frame is not from us. */
const LONGEST = 16 * 1024 * 1024

export function bytesFrame(bytes: Uint8Array | string): Buffer {
  return frame(BYTES, typeof bytes === 'string' ? Buffer.from(bytes, 'utf8') : bytes)
}

export function messageFrame(message: object): Buffer {
  return frame(MESSAGE, Buffer.from(JSON.stringify(message), 'utf8'))
}

function frame(kind: number, payload: Uint8Array): Buffer {
  const header = Buffer.alloc(HEADER)
  header[0] = kind
  header.writeUInt32BE(payload.length, 1)
  return Buffer.concat([header, payload])
}

/** Parses a stream in any chunks into frames. Throws at anything that is not a frame. */
export class FrameReader {
  #rest: Buffer = Buffer.alloc(0)

  push(chunk: Uint8Array): Frame[] {
    this.#rest = this.#rest.length === 0 ? Buffer.from(chunk) : Buffer.concat([this.#rest, chunk])
    const frames: Frame[] = []
    while (this.#rest.length >= HEADER) {
      const length = this.#rest.readUInt32BE(1)
      if (length > LONGEST) throw new Error('invalid frame')
      if (this.#rest.length < HEADER + length) break
      frames.push(frameOf(this.#rest[0]!, this.#rest.subarray(HEADER, HEADER + length)))
      this.#rest = this.#rest.subarray(HEADER + length)
    }
    return frames
  }
}

/** Calls `handle` for each frame that arrives; `onInvalid` when it throws, or when something else arrives. */
export function onFrame(
  socket: Socket,
  handle: (frame: Frame) => void,
  onInvalid: (error: unknown) => void = () => socket.destroy(),
): void {
  const reader = new FrameReader()
  socket.on('data', (chunk) => {
    try {
      for (const frame of reader.push(chunk)) handle(frame)
    } catch (error) {
      onInvalid(error)
    }
  })
}

function frameOf(kind: number, payload: Buffer): Frame {
  if (kind === BYTES) return { kind: 'bytes', bytes: payload }
  const message: unknown = kind === MESSAGE ? JSON.parse(payload.toString('utf8')) : undefined
  if (typeof message !== 'object' || message === null) throw new Error('invalid frame')
  return { kind: 'message', message: message as Readonly<Record<string, unknown>> }
}
