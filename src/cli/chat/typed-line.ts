/** What a line that was typed into the chat asks for. */
export type Typed =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'message'; readonly text: string }
  | { readonly kind: 'command'; readonly name: ChatCommand; readonly words: readonly string[] }

export const chatCommands = {
  help: '/help                 what can be typed here',
  share: '/share [file]         write the session as Markdown, with secrets masked',
  export: '/export [fmt] [file]  write it as it is: md (default), html, json or jsonl',
  history: '/history              show all messages of the session',
  interrupt: '/interrupt            have the agent stop what it does',
  quit: '/quit                 leave; the agent goes on (also Ctrl-C and Ctrl-D)',
} as const

export type ChatCommand = keyof typeof chatCommands

/**
 * A slash and a word of ours is a command. Every other text goes to the agent, also its own commands such as `/compact`;
 * `//help` is the agent's `/help`.
 */
export function readTyped(line: string): Typed {
  const text = line.trim()
  if (text === '') return { kind: 'nothing' }
  const [, name = '', rest = ''] = /^\/([a-z]+)(?:\s+(.*))?$/s.exec(text) ?? []
  if (!Object.hasOwn(chatCommands, name)) return { kind: 'message', text: text.replace(/^\/\//, '/') }
  return { kind: 'command', name: name as ChatCommand, words: rest.split(/\s+/).filter((word) => word !== '') }
}
