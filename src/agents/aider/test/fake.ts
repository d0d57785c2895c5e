import { existsSync, readFileSync } from 'node:fs'
import { type FakeAgent, type FakeCall, type FakeWorld, parseArguments } from '../../../../test/fake-agent/fake.ts'

const VERSION = '0.86.2'

/** A rule, the prompt, and the last row of the screen, down to which the real one draws as long as it waits. */
const INPUT = `\x1b[J${'─'.repeat(40)}\n> \x1b7\x1b[9999;1H \x1b8`

/** Behaves like 0.86.2: see ../README.md. A session is its history file. */
export const fake: FakeAgent = {
  version: `aider ${VERSION}`,
  inputBox: INPUT,
  parse,
  // A missing history is an empty one.
  has: existsSync,
  // A heading and notices, before any prompt.
  create(call, world) {
    const file = call.chosen ?? call.resume ?? ''
    begin(file, [], world)
    return file
  },
  prompt(file, text, world) {
    world.append(
      file,
      `\n${text
        .split(/\r?\n/)
        .map((line) => `#### ${line}  `)
        .join('\n')}`,
    )
  },
  answer(file, text, world) {
    world.append(
      file,
      `\n${text.trim()}\n\n> Tokens: 2.4k sent, 13 received. Cost: $0.0061 message, $0.0061 session.  `,
    )
  },
}

function parse(argv: readonly string[], world: FakeWorld): FakeCall {
  const { options } = parseArguments(argv, ['chat-history-file', 'input-history-file', 'message-file', 'model'])
  const file = options.get('chat-history-file') ?? '.aider.chat.history.md'
  const message = options.get('message-file')
  const isRestored = options.has('restore-chat-history') && existsSync(file)
  if (isRestored) begin(file, ['Restored previous conversation history.'], world)
  return {
    // With a message it exits after the turn, in a terminal too.
    interactive: message === undefined,
    ...(message === undefined ? {} : { prompt: readFileSync(message, 'utf8') }),
    ...(isRestored ? { resume: file } : { chosen: file }),
  }
}

function begin(file: string, notices: readonly string[], world: FakeWorld): void {
  const time = new Date(Date.parse(world.now()) - new Date().getTimezoneOffset() * 60_000).toISOString()
  const head = [`aider --chat-history-file ${file}`, `Aider v${VERSION}`, 'Main model: scripted', ...notices]
  const lines = head.map((line) => `> ${line}  `)
  world.append(file, `\n# aider chat started at ${time.slice(0, 19).replace('T', ' ')}\n\n${lines.join('\n')}`)
}
