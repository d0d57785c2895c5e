import type { Command } from '../../command.ts'

/** Called by the completion scripts. */
export const command: Command = {
  name: 'complete',
  summary: 'answer a completion script',
  internal: true,
  arguments: [{ name: 'words', summary: 'what was typed after ion; the last word is completed', many: true }],
  load: () => import('./run.ts'),
}
