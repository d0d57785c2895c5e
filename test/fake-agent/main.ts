// The program that tests, benchmarks and `ion demo` install under an agent's name: fake-agent.cjs <agent> [arguments…].
import { realIo } from '../../src/platform/io.ts'
import { play } from './play.ts'

// Node 22 warns that its SQLite is experimental; a real agent's stderr has no such line.
process.removeAllListeners('warning')
// Ion may be killed first. That is not an error of the agent.
process.stdout.on('error', () => process.exit(0))

const [id = '', ...argv] = process.argv.slice(2)
const streams = {
  print: (text: string) => void process.stdout.write(text),
  complain: (text: string) => void process.stderr.write(text),
  input: process.stdin,
}
play(id, argv, realIo(), streams).then(
  (code) => {
    process.exitCode = code
  },
  (error: Error) => {
    streams.complain(`fake-agent: ${error.message}\n`)
    process.exitCode = 1
  },
)
