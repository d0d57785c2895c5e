import type { Command } from '../../command.ts'

export const command: Command = {
  name: 'show',
  group: 'sessions',
  summary: 'read a session',
  details:
    'Prompts and answers in full, each tool call folded to one line. In a terminal it is shown in $PAGER, else less. ' +
    'Where a conversation was rewound, the branch that was last gone on with is shown.',
  arguments: [
    {
      name: 'id',
      summary: 'id of the session, the beginning of it (4 or more characters), its native id or its title',
      required: true,
      completes: 'session',
    },
  ],
  options: [
    { flags: '--full', summary: 'tool calls with all they got and gave' },
    { flags: '--thinking', summary: 'also what the model thought' },
    { flags: '--system', summary: 'also what the agent added, and records Ion does not know' },
    { flags: '--branch <n>', summary: 'another branch by its number, or "all"' },
    { flags: '--remote', summary: 'also one that its agent keeps elsewhere; asks its program' },
    { flags: '--no-pager', summary: 'print it straight' },
    { flags: '--json', summary: 'the canonical events, one per line; all of them unless --branch is given' },
  ],
  examples: [
    ['ion show 3f2a91bc', 'by the beginning of its id'],
    ['ion show 3f2a91bc --full --thinking', 'everything that was said and done'],
    ['ion show 3f2a91bc --json | jq -r \'select(.type == "user").content\'', 'only the prompts'],
  ],
  load: () => import('./run.ts'),
}
