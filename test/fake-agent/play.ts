import { createInterface } from 'node:readline'
import type { Io } from '../../src/platform/io.ts'
import type { FakeAgent, FakeCall, FakeWorld } from './fake.ts'
import { reach } from './steps.ts'
import { fakeWorld } from './world.ts'

export interface FakeStreams {
  print(text: string): void
  complain(text: string): void
  readonly input: NodeJS.ReadableStream
}

/** Plays an agent from its script. Returns the exit code. `stdin` replaces the real one in tests. */
export async function play(
  id: string,
  argv: readonly string[],
  io: Io,
  streams: FakeStreams,
  stdin?: string,
): Promise<number> {
  // The build finds the files of this pattern (scripts/build.ts).
  const { fake: script } = (await import(`../../src/agents/${id}/test/fake.ts`)) as { fake: FakeAgent }
  if (argv.join(' ') === '--version') {
    streams.print(`${script.version}\n`)
    return 0
  }
  const world = fakeWorld(io, stdin)
  reach('started', io)
  const call = script.parse(argv, world)
  const refusal = call.refusal ?? (isUnknown(call, script, world) ? call.unknown : undefined)
  if (refusal) {
    streams.complain(`${refusal.text}\n`)
    return refusal.code
  }
  const session = isUnknown(call, script, world)
    ? script.create(call, world)
    : (call.resume ?? script.create(call, world))
  reach('created', io)
  if (!call.interactive) streams.print(script.opening?.(session) ?? '')
  if (call.prompt !== undefined) takeTurn(session, call.prompt, call, script, world, streams)
  if (call.interactive) await talk(session, id, call, script, world, streams)
  reach('ending', io)
  return 0
}

function isUnknown({ resume }: FakeCall, script: FakeAgent, world: FakeWorld): boolean {
  return resume !== undefined && !script.has(resume, world)
}

function takeTurn(
  session: string,
  text: string,
  call: FakeCall,
  script: FakeAgent,
  world: FakeWorld,
  streams: FakeStreams,
): void {
  script.prompt(session, text, world)
  reach('prompted', world.io)
  const answer = `I have done it: ${text.trim().split('\n')[0]!.slice(0, 60)}`
  reach('answering', world.io)
  script.answer(session, answer, world)
  reach('answered', world.io)
  streams.print(call.interactive ? `${answer}\n` : (script.output?.(session, answer) ?? `${answer}\n`))
}

/** Like a terminal program: prompt, line, answer. */
async function talk(
  session: string,
  id: string,
  call: FakeCall,
  script: FakeAgent,
  world: FakeWorld,
  streams: FakeStreams,
): Promise<void> {
  const { inputBox = '> ' } = script
  streams.print(`${id} (fake), session ${session}\n${inputBox}`)
  const lines = createInterface({ input: streams.input })
  for await (const line of lines) {
    if (line.trim() === '/quit') break
    // Below the box, where the next answer goes.
    if (script.inputBox) streams.print('\n')
    if (line.trim() !== '') takeTurn(session, line, call, script, world, streams)
    streams.print(inputBox)
  }
  // Leaving the loop does not close it, and an open stdin keeps the process alive.
  lines.close()
}
