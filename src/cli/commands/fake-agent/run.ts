import { loadAgent } from '../../../agents/load.ts'
import { play } from '../../../fake-agent/play.ts'
import type { Context, Options } from '../../command.ts'

export async function run(
  args: readonly unknown[],
  _options: Options,
  { io, out, err }: Context,
  rest: readonly string[] = [],
): Promise<number> {
  return play(await loadAgent(args[0] as string), rest, io, {
    print: (text) => out.write(text),
    complain: (text) => err.write(text),
    input: process.stdin,
  })
}
