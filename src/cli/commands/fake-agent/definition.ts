import type { Command } from '../../command.ts'

export const command: Command = {
  name: 'fake-agent',
  summary: 'plays an agent by a script, for the tests and the demo',
  arguments: [{ name: 'agent', summary: 'which', required: true, completes: 'none' }],
  rest: { name: 'arguments', summary: 'as the real program would get them' },
  internal: true,
  load: () => import('./run.ts'),
}
