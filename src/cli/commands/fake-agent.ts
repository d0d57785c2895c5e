import { loadAgent } from '../../agents/load.ts'
import { play } from '../../fake-agent/play.ts'
import type { Run } from '../command.ts'
import type { fakeAgent } from '../definitions/internal.ts'

export const run: Run<typeof fakeAgent> = async ([agent], _options, { io, out, err }, rest = []) =>
  play(await loadAgent(agent), rest, io, {
    print: (text) => out.write(text),
    complain: (text) => err.write(text),
    input: process.stdin,
  })
