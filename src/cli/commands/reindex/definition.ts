import type { Command } from '../../command.ts'

export const command: Command = {
  name: 'reindex',
  group: 'this machine',
  summary: 'bring the whole catalogue up to date, text included',
  details: "The catalogue is disposable: everything in it comes from the agents' own stores, which are only read.",
  options: [
    { flags: '--from-scratch', summary: 'throw the catalogue away first' },
    { flags: '--json', summary: 'the result as one object' },
  ],
  examples: [
    ['ion reindex', 'before a long search, or in a nightly job'],
    ['ion reindex --from-scratch', 'when something in a list looks wrong'],
  ],
  load: () => import('./run.ts'),
}
