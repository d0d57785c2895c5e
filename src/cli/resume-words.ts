/** `ion --continue` and `ion --resume [id]` are what users of agents are used to; the command behind them is `resume`. */
export function resumeWords(argv: readonly string[]): readonly string[] {
  const [first = '', ...others] = argv
  if (first === '--continue' || first === '-c') return ['resume', '--newest', ...others]
  if (first === '--resume' || first === '-r') return ['resume', ...others]
  return first.startsWith('--resume=') ? ['resume', first.slice('--resume='.length), ...others] : argv
}
