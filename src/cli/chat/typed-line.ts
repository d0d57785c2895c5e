import { type ExportFormat, exportFormats } from '../../export/session.ts'
import { IonError, messageOf } from '../../platform/error.ts'
import { type Context, withDefaults } from '../command.ts'
import { run as runExport } from '../commands/export/run.ts'
import { run as runShare } from '../commands/share.ts'
import { exportSessions, share } from '../definitions/sessions.ts'

/** The meaning of a line typed into the chat. */
export type Typed =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'message'; readonly text: string }
  | { readonly kind: 'command'; readonly name: ChatCommand; readonly words: readonly string[] }

export const chatCommands = {
  help: '/help                 show these commands',
  share: '/share [file]         write the session as Markdown, with secrets masked',
  export: '/export [fmt] [file]  write the session unmasked: md (default), html, json or jsonl',
  history: '/history              show all messages of the session',
  interrupt: '/interrupt            interrupt the agent',
  quit: '/quit                 quit; the agent keeps running (also Ctrl-C and Ctrl-D)',
} as const

export type ChatCommand = keyof typeof chatCommands

/**
 * A slash and one of our names is a command. Any other text goes to the agent, including its own commands such as
 * `/compact`; `//help` is the agent's `/help`.
 */
export function readTyped(line: string): Typed {
  const text = line.trim()
  if (text === '') return { kind: 'nothing' }
  const [, name = '', rest = ''] = /^\/([a-z]+)(?:\s+(.*))?$/s.exec(text) ?? []
  if (!Object.hasOwn(chatCommands, name)) return { kind: 'message', text: text.replace(/^\/\//, '/') }
  return { kind: 'command', name: name as ChatCommand, words: rest.split(/\s+/).filter((word) => word !== '') }
}

/** `/share` and `/export`: the commands of the same name, into a file. Their messages go to `say`. */
export async function writeSession(
  name: 'share' | 'export',
  words: readonly string[],
  session: string,
  context: Context,
  say: (line: string) => void,
): Promise<void> {
  const format = exportFormats.find((one): one is ExportFormat => name === 'export' && one === words[0]) ?? 'md'
  const [file = '.', ...more] = name === 'export' && words[0] === format ? words.slice(1) : words
  if (more.length > 0) return say(`only one file: /${name} ${name === 'export' ? '[md|html|json|jsonl] ' : ''}[file]`)
  const quiet = { isTTY: false, columns: context.out.columns, rows: context.out.rows, colour: false }
  const lines = { ...quiet, write: (text: string) => text.split('\n').filter(Boolean).forEach(say) }
  const output = { ...context, out: lines, err: lines }
  try {
    if (name === 'share') await runShare([session], withDefaults(share, { output: file }), output)
    else await runExport([[session]], withDefaults(exportSessions, { output: file, format }), output)
  } catch (error) {
    say(messageOf(error))
    if (error instanceof IonError && error.hint !== undefined && error.kind !== 'refused') say(`  -> ${error.hint}`)
  }
}
