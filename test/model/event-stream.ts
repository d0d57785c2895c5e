// The framing of AWS event streams (application/vnd.amazon.eventstream): length, headers, payload, each with a checksum.
import { crc32 } from 'node:zlib'

/** In the headers, the type of a value that is text. */
const TEXT_VALUE = 7

/** One message: its kind and its JSON payload. */
export function eventMessage(type: string, payload: object): Buffer {
  const headers = Buffer.concat([
    header(':message-type', 'event'),
    header(':event-type', type),
    header(':content-type', 'application/json'),
  ])
  const body = Buffer.from(JSON.stringify(payload))
  const prelude = Buffer.alloc(8)
  prelude.writeUInt32BE(12 + headers.length + body.length + 4, 0)
  prelude.writeUInt32BE(headers.length, 4)
  const checked = Buffer.concat([prelude, checksum(prelude), headers, body])
  return Buffer.concat([checked, checksum(checked)])
}

function header(name: string, value: string): Buffer {
  const text = Buffer.from(value)
  const length = Buffer.alloc(2)
  length.writeUInt16BE(text.length)
  return Buffer.concat([Buffer.from([name.length]), Buffer.from(name), Buffer.from([TEXT_VALUE]), length, text])
}

function checksum(bytes: Buffer): Buffer {
  const sum = Buffer.alloc(4)
  sum.writeUInt32BE(crc32(bytes))
  return sum
}
