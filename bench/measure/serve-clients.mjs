// @ts-check
// Many readers of /events in one process: `node serve-clients.mjs <port> <count>`. Prints `ready` when each has the current
// status; then for each line on stdin how long the agent's next answer took to each of them. JavaScript, because it is
// measured and must start without tsx.
import { connect } from 'node:net'
import { createInterface } from 'node:readline'

const [port = 0, count = 0] = process.argv.slice(2).map(Number)
const readers = Array.from({ length: count }, () => ({ isReady: false, time: 0, delay: 0, rest: '' }))
let ready = 0
let arrived = 0
let asked = false

for (const reader of readers) {
  const socket = connect(port, '127.0.0.1')
  socket.write('GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n')
  socket.setEncoding('latin1').on('data', (/** @type {string} */ text) => take(reader, text))
  socket.on('error', (error) => {
    console.error(error.message)
    process.exit(1)
  })
}

/**
 * @param {(typeof readers)[number]} reader
 * @param {string} text
 */
function take(reader, text) {
  const now = performance.timeOrigin + performance.now()
  const all = reader.rest + text
  reader.rest = all.slice(-64)
  if (!reader.isReady && all.includes('event: status_change')) {
    reader.isReady = true
    if (++ready === count) console.log('ready')
  }
  const found = [...all.matchAll(/at (\d+\.\d{3}) ms/g)].at(-1)
  const time = found ? Number(found[1]) : 0
  if (!asked || time <= reader.time) return
  reader.time = time
  reader.delay = now - time
  if (++arrived === count) {
    asked = false
    console.log(JSON.stringify(readers.map(({ delay }) => delay)))
  }
}

createInterface(process.stdin).on('line', () => {
  asked = true
  arrived = 0
})
