import type { Command } from '../../command.ts'

export const command: Command = {
  name: 'serve-process',
  summary: 'serve a task in the background; started by "ion serve --detach"',
  internal: true,
  load: () => import('./run.ts'),
}
