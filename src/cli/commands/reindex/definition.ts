import type { Command } from '../../command.ts'

export const command: Command = {
  name: 'reindex',
  summary: 'bring the whole catalogue up to date, text included',
  details: "The catalogue is disposable: everything in it comes from the agents' own stores, which are only read.",
  options: [
    { flags: '--from-scratch', summary: 'throw the catalogue away first' },
    { flags: '--json', summary: 'the result as one object' },
  ],
  load: () => import('./run.ts'),
}
