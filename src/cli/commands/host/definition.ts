import type { Command } from '../../command.ts'

export const command: Command = {
  name: 'host',
  summary: 'keep an agent in the background; started by "ion run --detach"',
  internal: true,
  load: () => import('./run.ts'),
}
