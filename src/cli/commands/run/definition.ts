import type { Command } from '../../command.ts'

export const command: Command = {
  name: 'run',
  group: 'agents at work',
  summary: 'start an agent on a task, or resume exactly where it was',
  details:
    'The first time the agent is started with the prompt. Every time after that the very same session is resumed and the ' +
    'prompt is not sent again, also after a crash, a reboot or a rebuilt workspace. A task is the agent, the project and ' +
    'a name (--task). What stands after -- goes to the agent as it is, and again at each later start.',
  arguments: [
    { name: 'agent', summary: 'which agent', required: true, completes: 'agent' },
    { name: 'prompt', summary: 'what to do; "-" reads it from stdin', many: true, completes: 'none' },
  ],
  options: [
    { flags: '--task <name>', summary: 'one of several tasks of this agent in this project (default: main)' },
    { flags: '--prompt-file <file>', summary: 'the prompt is in this file', completes: 'file' },
    { flags: '--headless', summary: 'one turn without a terminal; prints the answer' },
    { flags: '--detach', summary: 'in the background, in a terminal that Ion keeps: ion ps, ion attach, ion stop' },
    { flags: '--send', summary: 'the task has a session already: send this prompt as one more turn' },
    { flags: '--nudge', summary: 'the same with a short neutral prompt, to have it go on' },
    { flags: '--new', summary: 'a new session for this task; the old one stays where it is' },
    { flags: '--restore', summary: "put a session that is gone from the agent's store back from Ion's copy" },
    {
      flags: '--steal',
      summary: 'end what Ion runs on this task, and take over; open the session although it is open elsewhere',
    },
    { flags: '--dry-run', summary: 'say what would be done, and do nothing' },
    { flags: '--json', summary: 'with --dry-run: the whole plan as one object' },
    {
      flags: '--prepare <what>',
      summary: 'write the settings that answer a first-run dialog, such as trust; "list" shows them',
    },
    { flags: '--agentapi', summary: 'under the agentapi program, with its chat kept across restarts' },
    { flags: '--agentapi-port <port>', summary: 'where agentapi listens (its default: 3284)' },
    { flags: '--no-state-persistence', summary: 'with --agentapi: do not keep the chat' },
  ],
  rest: { name: 'agent arguments', summary: 'for the agent itself, such as its model or permissions' },
  dashWords: true,
  examples: [
    ['ion run claude "fix the failing test"', 'start, or go on where it was'],
    ['ion run codex --headless --task docs "update the README"', 'one turn, the answer on stdout'],
    ['ion run goose --detach "migrate the tests"', 'for a start script: returns at once, safe to call every time'],
    ['ion run claude "fix it" -- --model opus', 'with arguments of the agent'],
  ],
  load: () => import('./run.ts'),
}
