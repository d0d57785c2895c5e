import type { Command } from '../../command.ts'

export const command: Command = {
  name: 'serve',
  group: 'agents at work',
  summary: 'run an agent behind HTTP as AgentAPI does, with a chat page',
  details:
    'Starts the task in the background as "ion run --detach" does, or finds it running, and serves it: messages from the ' +
    "agent's own transcript, status, live events, and a page to chat in. If the server is killed the agent goes on, and the next " +
    '"ion serve" shows the whole chat and sends no prompt again. Every option of "agentapi server" is taken, also as an ' +
    'AGENTAPI_* variable. What stands after -- goes to the agent; without the name of an agent it is its whole command ' +
    'line, as agentapi has it: ion serve --type claude -- claude --model opus.',
  arguments: [
    { name: 'agent', summary: 'which agent', completes: 'agent' },
    { name: 'prompt', summary: 'what to do; "-" reads it from stdin', many: true, completes: 'none' },
  ],
  options: [
    { flags: '--task <name>', summary: 'one of several tasks of this agent in this project (default: main)' },
    { flags: '--prompt-file <file>', summary: 'the prompt is in this file', completes: 'file' },
    { flags: '--send', summary: 'the task has a session already: send this prompt as one more turn' },
    { flags: '--new', summary: 'a new session for this task; the old one stays where it is' },
    { flags: '--restore', summary: "put a session that is gone from the agent's store back from Ion's copy" },
    { flags: '--detach', summary: 'serve in the background; returns when it answers, safe to call every time' },
    { flags: '-p, --port <port>', summary: 'where to listen (default: 3284, or the next free port)' },
    {
      flags: '--host <address>',
      summary: 'on which address (default: 127.0.0.1); on others everything needs the token',
    },
    { flags: '--no-token', summary: 'ask nobody for the token; only on this machine itself' },
    { flags: '--token-file <file>', summary: "where the token is (default: in the task's folder)", completes: 'file' },
    { flags: '-c, --chat-base-path <path>', summary: 'where the chat page is (default: /chat)' },
    {
      flags: '-a, --allowed-hosts <names>',
      summary: 'names by which it may be called, with commas; "*" for any (default: localhost,127.0.0.1,[::1])',
    },
    {
      flags: '-o, --allowed-origins <origins>',
      summary: 'pages that may use it, with commas (default: http://localhost: 3284, 3000 and 3001)',
    },
    { flags: '-W, --term-width <columns>', summary: "of the agent's terminal (default: 120)" },
    { flags: '-H, --term-height <rows>', summary: "of the agent's terminal (default: 36)" },
    { flags: '-I, --initial-prompt <prompt>', summary: 'the prompt, as agentapi takes it' },
    {
      flags: '-s, --state-file <file>',
      summary: "what is kept of the chat (default: in the task's folder)",
      completes: 'file',
    },
    { flags: '--load-state [yes]', summary: 'false: do not look at the state file' },
    { flags: '--save-state [yes]', summary: 'false: do not write the state file' },
    { flags: '--pid-file <file>', summary: "write the server's process id there", completes: 'file' },
    { flags: '-t, --type <type>', summary: "agentapi's name of the agent; only needed where none is given" },
    { flags: '-P, --print-openapi', summary: 'print the description of the API, and do nothing else' },
  ],
  rest: { name: 'agent arguments', summary: 'for the agent itself, such as its model or permissions' },
  examples: [
    ['ion serve claude "fix the failing test"', 'start, or go on where it was; prints the address'],
    ['ion serve goose --detach --task docs', 'for a start script: returns when it answers, safe to call every time'],
    [
      'ion serve --type claude -- claude --model opus',
      'in place of: agentapi server --type claude -- claude --model opus',
    ],
  ],
  load: () => import('./run.ts'),
}
