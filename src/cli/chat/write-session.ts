import { IonError, messageOf } from '../../platform/error.ts'
import type { Context, Options } from '../command.ts'
import { run as runExport } from '../commands/export/run.ts'
import { run as runShare } from '../commands/share/run.ts'

const formats = ['md', 'html', 'json', 'jsonl']

/** Carries out `/share` and `/export` as the commands of the same name do, into a file. What they say goes to `say`. */
export async function writeSession(
  name: 'share' | 'export',
  words: readonly string[],
  session: string,
  context: Context,
  say: (line: string) => void,
): Promise<void> {
  const format = name === 'export' && formats.includes(words[0] ?? '') ? words[0]! : 'md'
  const [file = '.', ...more] = name === 'export' && words[0] === format ? words.slice(1) : words
  if (more.length > 0)
    return say(`one file, please: /${name} ${name === 'export' ? '[md|html|json|jsonl] ' : ''}[file]`)
  const quiet = { isTTY: false, columns: context.out.columns, rows: context.out.rows, colour: false }
  const lines = { ...quiet, write: (text: string) => text.split('\n').filter(Boolean).forEach(say) }
  const options: Options = { output: file, format }
  try {
    const run = name === 'share' ? runShare : runExport
    await run([name === 'share' ? session : [session]], options, { io: context.io, out: lines, err: lines })
  } catch (error) {
    say(messageOf(error))
    if (error instanceof IonError && error.hint !== undefined && error.kind !== 'refused') say(`  -> ${error.hint}`)
  }
}
