import type { OptionDefinition } from './command.ts'

/** For help and completion: they stand where a command would. */
export const resumeOptions: readonly OptionDefinition[] = [
  { flags: '-c, --continue', summary: 'reopen the newest session of this project' },
  { flags: '-r, --resume', summary: 'reopen a session by its id, or pick one' },
]

/** `ion --continue` and `ion --resume [id]` are what users of agents are used to; the command behind them is `resume`. */
export function resumeWords(argv: readonly string[]): readonly string[] {
  const [first = '', ...others] = argv
  if (first === '--continue' || first === '-c') return ['resume', '--newest', ...others]
  if (first === '--resume' || first === '-r') return ['resume', ...others]
  return first.startsWith('--resume=') ? ['resume', first.slice('--resume='.length), ...others] : argv
}
