import type { CommandDefinition } from '../command.ts'

const agentArguments = { name: 'agent arguments', summary: 'for the agent itself, such as its model or permissions' }

export const run = {
  name: 'run',
  group: 'agents at work',
  summary: 'start an agent on a task, or resume where it left off',
  details:
    'The first run starts the agent with your prompt. Every later run resumes the same session and does not send the ' +
    'prompt again, even after a crash, a reboot or a rebuilt workspace. A task is identified by the agent, the project ' +
    'and a name (--task). Everything after -- is passed to the agent unchanged, on every start.',
  arguments: [
    { name: 'agent', summary: 'id of the agent (ion agents lists them)', required: true, completes: 'agent' },
    { name: 'prompt', summary: 'what to do; "-" reads it from stdin', many: true, completes: 'none' },
  ],
  options: [
    { flags: '--task <name>', summary: 'name of the task, for several tasks per agent and project (default: main)' },
    { flags: '--prompt-file <file>', summary: 'read the prompt from a file', completes: 'file' },
    { flags: '--headless', summary: 'run one turn without a terminal and print the answer' },
    { flags: '--detach', summary: 'run in the background (see ion ps, ion attach, ion stop)' },
    { flags: '--send', summary: 'send this prompt to the existing session as another turn' },
    { flags: '--nudge', summary: 'ask the agent to continue' },
    { flags: '--new', summary: 'start a new session for this task; the old one is kept' },
    { flags: '--restore', summary: "if the session is gone from the agent's store, restore it from Ion's copy" },
    { flags: '--steal', summary: 'take over: stop the running agent, or open a session that is already open' },
    { flags: '--dry-run', summary: 'show what would be done without doing it' },
    { flags: '--json', summary: 'with --dry-run: print the plan as one JSON object' },
    {
      flags: '--prepare <what>',
      summary: 'write the settings that answer a first-run dialog, such as trust; "list" shows them',
    },
    { flags: '--agentapi', summary: 'run under the agentapi program and keep its chat across restarts' },
    { flags: '--agentapi-port <port>', summary: "agentapi's port (its default: 3284)" },
    { flags: '--no-state-persistence', summary: 'with --agentapi: do not keep the chat' },
  ],
  rest: agentArguments,
  dashWords: true,
  examples: [
    ['ion run claude "fix the failing test"', 'start, or continue where it left off'],
    ['ion run codex --headless --task docs "update the README"', 'one turn, the answer on stdout'],
    ['ion run goose --detach "migrate the tests"', 'for a start script: returns at once, safe to run every time'],
    ['ion run claude "fix it" -- --model opus', 'with arguments for the agent'],
  ],
} as const satisfies CommandDefinition

export const resume = {
  name: 'resume',
  group: 'agents at work',
  summary: 'reopen a session in its agent (ion -r, ion -c)',
  details:
    'Opens the session in its own agent and folder, and sends nothing. Without an id it opens the picker. The session ' +
    'becomes a task of Ion, so "ion run" can continue it too.',
  arguments: [
    {
      name: 'id',
      summary: "session id or its first characters, the agent's own id, or the title",
      completes: 'session',
    },
  ],
  options: [
    { flags: '--newest', summary: 'the newest session of this project (ion --continue)' },
    { flags: '--headless', summary: 'run without a terminal and print the last answer' },
    { flags: '--detach', summary: 'run in the background (see ion ps, ion attach, ion stop)' },
    { flags: '--send <prompt>', summary: 'send this prompt as another turn' },
    { flags: '--nudge', summary: 'ask the agent to continue' },
    { flags: '--steal', summary: 'take over: stop the running agent, or open a session that is already open' },
    { flags: '--dry-run', summary: 'show what would be done without doing it' },
    { flags: '--json', summary: 'with --dry-run: print the plan as one JSON object' },
  ],
  rest: agentArguments,
  examples: [
    ['ion --continue', 'the newest session of this project'],
    ['ion --resume 3f2a', 'that session'],
  ],
} as const satisfies CommandDefinition
