import type { Context } from '../../command.ts'

/** Waits for a key; false when the user has had enough. */
export type Pause = () => Promise<boolean>

/** One that does not wait: for a pipe, or when it is not wanted. */
export const noPause: Pause = async () => true

export function keyPause({ out }: Context, input: NodeJS.ReadStream = process.stdin): Pause {
  return async () => {
    const hint = 'any key goes on, q ends'
    out.write(hint)
    const key = await nextKey(input)
    out.write(`\r${' '.repeat(hint.length)}\r`)
    return !/^[qQ\x03\x04\x1b]/.test(key) || key.length > 1
  }
}

/** A whole escape sequence (an arrow) comes as one piece; the end of the input is as good as `q`. */
function nextKey(input: NodeJS.ReadStream): Promise<string> {
  return new Promise((resolve) => {
    const done = (data?: Buffer): void => {
      input.off('data', done).off('end', done)
      input.setRawMode(false)
      input.pause()
      resolve(data?.toString('utf8') ?? 'q')
    }
    input.setRawMode(true)
    input.on('data', done).on('end', done)
    input.resume()
  })
}
