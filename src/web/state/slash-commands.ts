/** Commands of the page itself; every other command belongs to the agent. */
export const slashCommands = [
  { name: 'share', summary: 'the session as Markdown, with secrets and home paths masked' },
  { name: 'export', summary: 'the session as a file: Markdown, HTML, JSON Lines or JSON' },
  { name: 'handover', summary: 'continue this session in another agent' },
  { name: 'help', summary: 'keys and commands' },
] as const

export type SlashCommand = (typeof slashCommands)[number]['name']

/** Whether the input is a command of the page or a message. `//help` sends `/help` to the agent. */
export function meaningOf(text: string): { readonly command: SlashCommand } | { readonly send: string } {
  const typed = text.trim()
  if (typed.startsWith('//')) return { send: typed.slice(1) }
  const found = slashCommands.find(({ name }) => typed === `/${name}`)
  return found ? { command: found.name } : { send: text.trimEnd() }
}

/** Commands that begin with the input. */
export function suggestions(text: string): readonly (typeof slashCommands)[number][] {
  if (!/^\/[a-z]*$/.test(text)) return []
  return slashCommands.filter(({ name }) => name.startsWith(text.slice(1)))
}
