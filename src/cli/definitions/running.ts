import type { CommandDefinition } from '../command.ts'
import { replicaOptions, sessionArgument } from './common.ts'

const agentArguments = { name: 'agent arguments', summary: 'for the agent itself, such as its model or permissions' }

export const run = {
  name: 'run',
  group: 'run agents',
  summary: 'start an agent on a task, or resume where it left off',
  details:
    'The first run starts the agent with your prompt. Every later run resumes the same session and does not send the ' +
    'prompt again, even after a crash, a reboot or a rebuilt workspace. A task is identified by the agent, the project ' +
    'and a name (--task). Everything after -- is passed to the agent unchanged, on every start.',
  arguments: [
    {
      name: 'agent',
      summary: 'id of the agent (ion agents lists them); default: that of ion config',
      completes: 'agent',
    },
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
    {
      flags: '--moved-from <folder>',
      summary: 'this project was moved from there: resume its session',
      completes: 'none',
    },
    { flags: '--same-project', summary: 'resume although this repository is not the one that the task was started in' },
    { flags: '--restore', summary: "if the session is gone from the agent's store, restore it from Ion's copy" },
    { flags: '--steal', summary: 'take over: stop the running agent, or open a session that is already open' },
    ...replicaOptions,
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

/** How a session is carried over to another agent. */
const handoverOptions = [
  {
    flags: '--as <mode>',
    summary: 'native: the session itself; brief: a short text about it (default: auto, native where that is proven)',
    choices: ['auto', 'native', 'brief'],
  },
  {
    flags: '--tools <how>',
    summary: 'keep tool calls as they are, or as text (default: keep)',
    choices: ['keep', 'text'],
  },
  {
    flags: '--thinking <how>',
    summary: "drop the model's thinking, or keep it as text (default: drop)",
    choices: ['drop', 'text'],
  },
  { flags: '--budget <tokens>', summary: "maximum size of the new session (default: by the agent's models)" },
  { flags: '--since <place>', summary: 'only from this event or turn on: an id, or a number', completes: 'none' },
  { flags: '--again', summary: 'make another copy, although there is one' },
  { flags: '--incomplete', summary: 'also if some records of the session cannot be read' },
  { flags: '--experimental', summary: 'write a session also for an agent with which that was never seen to work' },
] as const

export const resume = {
  name: 'resume',
  group: 'run agents',
  summary: 'reopen a session (ion -r, ion -c), or in another agent (--in)',
  details:
    'Opens the session in its own agent and folder, and sends nothing. Without an id it opens the picker. The session ' +
    'becomes a task of Ion, so "ion run" can continue it too. With --in, the session is handed over to another agent first, ' +
    'as "ion handover" does, and opened there; in the same agent that is a clean copy.',
  arguments: [
    {
      name: 'id',
      summary: "session id or its first characters, the agent's own id, or the title",
      completes: 'session',
    },
  ],
  options: [
    { flags: '--in <agent>', summary: 'continue it in this agent', completes: 'agent' },
    ...handoverOptions,
    { flags: '--here', summary: 'in this folder, which the folder of the session was moved to' },
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
    ['ion --resume 3f2a --in codex', 'the same conversation in another agent'],
  ],
} as const satisfies CommandDefinition

export const handover = {
  name: 'handover',
  group: 'run agents',
  summary: 'write a session for another agent, to continue it there',
  details:
    'Writes a new session with the same conversation, reads it back, prints what was kept and what was not, and starts ' +
    'nothing; "ion --resume <id> --in <agent>" also opens it. The source is only read. Tool calls stay tool calls; what is ' +
    'sealed or signed by a provider is left out. A second call finds the first copy; if the source has grown and the copy ' +
    'was not used, the copy gets the rest. "ion handover list" shows what was handed over, "ion handover undo <id>" removes ' +
    'a copy that was not used.',
  arguments: [
    { ...sessionArgument, summary: 'the session; or list; or undo, followed by a session', required: true },
    { name: 'copy', summary: 'with undo: the copy to remove, or its source', completes: 'session' },
  ],
  options: [
    { flags: '--in <agent>', summary: 'the agent that continues; the same one gets a clean copy', completes: 'agent' },
    ...handoverOptions,
    { flags: '--here', summary: 'in this folder, which the folder of the session was moved to' },
    { flags: '--dry-run', summary: 'show what would be written without writing it' },
    { flags: '--json', summary: 'print the report as one JSON object' },
  ],
  examples: [
    ['ion handover 3f2a --in codex --dry-run', 'what would survive'],
    ['ion handover 3f2a --in codex', 'write it, and print how to open it'],
    ['ion handover undo 3f2a', 'remove the copy again'],
  ],
} as const satisfies CommandDefinition

export const fork = {
  name: 'fork',
  group: 'run agents',
  summary: 'copy a session up to a point into a new one of the same agent',
  details:
    'The new session has the conversation up to the event or turn (--at), this one included, or all of it. The source is ' +
    'only read. Prints how to open the new one; starts nothing.',
  arguments: [{ ...sessionArgument, required: true }],
  options: [
    { flags: '--at <place>', summary: 'the last event or turn of the copy: an id, or a number', completes: 'none' },
    { flags: '--again', summary: 'make another copy, although there is one' },
    { flags: '--incomplete', summary: 'also if some records of the session cannot be read' },
    { flags: '--here', summary: 'in this folder, which the folder of the session was moved to' },
    { flags: '--dry-run', summary: 'show what would be written without writing it' },
    { flags: '--json', summary: 'print the report as one JSON object' },
  ],
  examples: [
    ['ion fork 3f2a', 'try something else from here'],
    ['ion fork 3f2a --at 4', 'as it was after the fourth prompt and its answer'],
  ],
} as const satisfies CommandDefinition

const task = {
  name: 'task',
  summary: 'agent, task or <agent>-<task> of this project, or a session id; default: the only running task here',
  completes: 'agent',
} as const

export const ps = {
  name: 'ps',
  group: 'run agents',
  summary: 'list running agents: in terminals, headless, in the background',
  details:
    'One line for each task that an agent is working on. "waiting for you" means that the agent shows a dialog that only ' +
    'you can answer; "waiting" that it has printed nothing for a few seconds; "failed" that an agent in the background ' +
    'ended with an error within the last day ("ion logs" shows its last lines), with "prompt still due" if the next start ' +
    'sends its prompt. --json prints one object per line, for failed tasks only with --all: agent, task, project, way (the ' +
    'mode: terminal, headless or detached), state, waiting_for, asks, question (its text), session_id, native_id, pid, ' +
    'agent_pid, clients, since, exit, prompt_due, url (of "ion serve"), replica (of --replica: state, behind_since, problem).',
  options: [
    { flags: '--all', summary: 'include tasks that are not running, and how they ended' },
    { flags: '--json', summary: 'print one JSON object per task' },
  ],
  examples: [['ion ps --json', 'for a script']],
} as const satisfies CommandDefinition

export const attach = {
  name: 'attach',
  group: 'run agents',
  summary: 'show a background agent in this terminal, and type to it',
  details:
    'Several terminals can be attached at once; the agent gets the size of the smallest. Ctrl-] detaches, and the agent ' +
    "keeps running. When the agent ends, its exit code is this command's. With --chat it shows the messages of the session " +
    'as plain text instead of the screen, with a line to type in, also in a pipe: /help, /share, /export, /quit.',
  arguments: [task],
  options: [
    { flags: '--all', summary: 'look for the task in every project' },
    { flags: '--chat', summary: 'messages as plain text instead of the screen, and a line to type in' },
    { flags: '--detach-key <key>', summary: 'detach with another key, such as ctrl-a' },
  ],
  examples: [
    ['ion attach', 'the agent that is running in this project'],
    ['ion attach codex-docs', 'task "docs" of Codex'],
    ['ion attach --chat', 'chat as on the page of ion serve'],
  ],
} as const satisfies CommandDefinition

export const logs = {
  name: 'logs',
  group: 'run agents',
  summary: 'show what a background agent has printed',
  details:
    "The text of the agent's terminal as lines; what was redrawn is shown once. Messages of the host go to stderr. For " +
    'the conversation see "ion show". --snapshot prints the last messages of a task that "ion serve" has served, as JSON ' +
    "in AgentAPI's form and up to 64 KiB: what Coder shows of a Task while its workspace is stopped.",
  arguments: [task],
  options: [
    { flags: '--all', summary: 'look for the task in every project' },
    { flags: '-f, --follow', summary: 'continue until the agent ends' },
    { flags: '--raw', summary: 'every byte, including terminal control sequences' },
    { flags: '--snapshot', summary: 'the last messages of ion serve, as JSON' },
  ],
  examples: [['ion logs goose --follow', 'watch without attaching']],
} as const satisfies CommandDefinition

export const stop = {
  name: 'stop',
  group: 'run agents',
  summary: 'stop running agents; their sessions stay and can be resumed',
  details:
    'The agent gets SIGTERM, time to finish (--grace), then SIGKILL. The command always returns; exit code 0 means that ' +
    'it is not running any more, also if it was not before: suitable for the stop script of a workspace. Names mean tasks ' +
    "of this project, and an agent's name its task main if there is one; a task of another project is stopped by its " +
    'session id, or by --all.',
  arguments: [{ ...task, many: true }],
  options: [
    { flags: '--all', summary: 'all tasks, in every project' },
    { flags: '--grace <seconds>', summary: 'how long an agent may take to end (default: 10)' },
  ],
  examples: [
    ['ion stop', 'the agent that is running in this project'],
    ['ion stop --all --grace 20', 'before a workspace is shut down'],
  ],
} as const satisfies CommandDefinition

export const serve = {
  name: 'serve',
  group: 'run agents',
  summary: 'serve an agent over HTTP (AgentAPI), with a chat page',
  details:
    'Starts the task in the background as "ion run --detach" does, unless it is running, and serves it: messages from ' +
    "the agent's own transcript, status, live events, and a chat page. If the server is killed the agent keeps running, " +
    'and the next "ion serve" shows the complete chat and sends no prompt again. Accepts every option of "agentapi ' +
    'server", also as an AGENTAPI_* variable. Everything after -- is passed to the agent; without the name of an agent ' +
    'it is the complete command line, as for agentapi: ion serve --type claude -- claude --model opus.',
  arguments: [
    {
      name: 'agent',
      summary: 'id of the agent (ion agents lists them); default: that of ion config',
      completes: 'agent',
    },
    { name: 'prompt', summary: 'what to do; "-" reads it from stdin', many: true, completes: 'none' },
  ],
  options: [
    { flags: '--task <name>', summary: 'name of the task, for several tasks per agent and project (default: main)' },
    { flags: '--prompt-file <file>', summary: 'read the prompt from a file', completes: 'file' },
    { flags: '--send', summary: 'send this prompt to the existing session as another turn' },
    { flags: '--new', summary: 'start a new session for this task; the old one is kept' },
    { flags: '--restore', summary: "if the session is gone from the agent's store, restore it from Ion's copy" },
    ...replicaOptions,
    { flags: '--detach', summary: 'serve in the background; returns when it answers, safe to run every time' },
    { flags: '-p, --port <port>', summary: 'port to listen on (default: 3284, or the next free port)' },
    { flags: '--host <address>', summary: 'address to listen on (default: 127.0.0.1)' },
    { flags: '--no-token', summary: 'do not require the token; only for loopback addresses' },
    { flags: '--token-file <file>', summary: "file of the token (default: in the task's folder)", completes: 'file' },
    { flags: '-c, --chat-base-path <path>', summary: 'base path of the chat page (default: /chat)' },
    {
      flags: '-a, --allowed-hosts <names>',
      summary: 'allowed Host names, comma-separated; "*" for any (default: localhost,127.0.0.1,[::1])',
    },
    {
      flags: '-o, --allowed-origins <origins>',
      summary: 'allowed origins of pages, comma-separated (default: http://localhost: 3284, 3000 and 3001)',
    },
    { flags: '-W, --term-width <columns>', summary: "width of the agent's terminal (default: 120)" },
    { flags: '-H, --term-height <rows>', summary: "height of the agent's terminal (default: 36)" },
    { flags: '-I, --initial-prompt <prompt>', summary: 'the prompt, as agentapi takes it' },
    {
      flags: '-s, --state-file <file>',
      summary: "where to save the chat (default: in the task's folder)",
      completes: 'file',
    },
    { flags: '--load-state [boolean]', summary: 'whether to load the state file (default: true)' },
    { flags: '--save-state [boolean]', summary: 'whether to save the state file (default: true)' },
    { flags: '--pid-file <file>', summary: "write the server's process id to this file", completes: 'file' },
    { flags: '-t, --type <type>', summary: "agentapi's name of the agent; only needed without an agent and a program" },
    { flags: '-P, --print-openapi', summary: 'print the description of the API and exit' },
  ],
  rest: agentArguments,
  examples: [
    ['ion serve claude "fix the failing test"', 'start, or continue where it left off; prints the address'],
    ['ion serve goose --detach --task docs', 'for a start script: returns when it answers, safe to run every time'],
    [
      'ion serve --type claude -- claude --model opus',
      'instead of: agentapi server --type claude -- claude --model opus',
    ],
  ],
} as const satisfies CommandDefinition
