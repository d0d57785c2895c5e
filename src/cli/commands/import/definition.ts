import type { Command } from '../../command.ts'

export const command: Command = {
  name: 'import',
  group: 'copies',
  summary: 'take exported logs, or chats of agentapi, into the archive',
  details:
    'Every line is checked first (docs/format.md); a file with a bad line is refused whole, and the line is named. Taking ' +
    'in the same file twice adds nothing. A state file of agentapi (version 1) becomes a session of its own; a later one ' +
    'of the same chat adds what is new, and nothing that it has lost since is lost here.',
  arguments: [
    { name: 'file', summary: 'a log, .jsonl, or a state file, .json', many: true, required: true, completes: 'file' },
  ],
  options: [
    { flags: '--agent <id>', summary: 'with which agent the chat of a state file was', completes: 'agent' },
    { flags: '--cwd <dir>', summary: 'in which folder that was, where it is known' },
    { flags: '--json', summary: 'one object per file' },
  ],
  examples: [
    ['ion import backup/*.jsonl', 'a folder of exported sessions'],
    ['ion import --agent claude ~/.claude-module/agentapi-state.json', 'the chat of a Coder module'],
  ],
  load: () => import('./run.ts'),
}
