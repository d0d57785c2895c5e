import type { CommandDefinition } from '../command.ts'
import { agentFilter } from './common.ts'

export const status = {
  name: 'status',
  group: 'this machine',
  summary: 'overview of agents and sessions, and next steps (plain "ion")',
  options: [{ flags: '--json', summary: 'print one JSON object per agent' }],
  examples: [
    ['ion', 'the overview'],
    ['ion status --json', 'for a script'],
  ],
} as const satisfies CommandDefinition

export const agents = {
  name: 'agents',
  group: 'this machine',
  summary: 'supported agents: version, sessions, resume level, data folder',
  options: [{ flags: '--json', summary: 'print one JSON object per agent' }],
  examples: [
    ['ion agents', 'what is installed, where its sessions are stored, whether they can be resumed'],
    ["ion agents --json | jq -r 'select(.installed).id'", 'ids of the installed agents, for a script'],
  ],
} as const satisfies CommandDefinition

export const doctor = {
  name: 'doctor',
  group: 'this machine',
  summary: 'diagnose problems and suggest fixes',
  details:
    'Changes nothing. Parse coverage (how many records Ion understands) is measured on the newest sessions of each agent; ' +
    '--full reads all of them. Problems are listed first. With the id of a session: whether it can be read completely and ' +
    'resumed, and whether the provider will refuse it (sealed or signed reasoning of another account, calls without results, ' +
    'ids of calls, empty texts) and how to get a clean copy.',
  arguments: [
    { name: 'what', summary: 'only this agent, and the machine; or only this session (its id)', completes: 'agent' },
  ],
  options: [
    { flags: '--full', summary: 'measure parse coverage on every session, not only the newest' },
    { flags: '--json', summary: 'print one JSON object per check' },
  ],
  examples: [
    ['ion doctor', 'check this machine and the newest sessions of each agent'],
    ['ion doctor codex --full', 'one agent, with all its sessions'],
    ['ion doctor 3f2a91bc', 'one session: why it cannot be resumed'],
    [`ion doctor --json | jq 'select(.verdict != "ok")'`, 'only warnings and errors, for a script'],
  ],
} as const satisfies CommandDefinition

export const reindex = {
  name: 'reindex',
  group: 'this machine',
  summary: 'update the index of all sessions',
  details: "The index is disposable: everything in it comes from the agents' own stores, which are only read.",
  options: [
    { flags: '--from-scratch', summary: 'delete the index and build it again' },
    { flags: '--json', summary: 'print the result as one JSON object' },
  ],
  examples: [
    ['ion reindex', 'before a long search, or in a nightly job'],
    ['ion reindex --from-scratch', 'when something in a list looks wrong'],
  ],
} as const satisfies CommandDefinition

export const modules = {
  name: 'modules',
  group: 'this machine',
  summary: 'persistent data folders of workspace modules',
  details:
    '"ion modules path <name>" prints the stable data folder of a module and creates it (0700): ' +
    '$CODER_MODULE_DATA_DIR/<name> if that is set, otherwise ~/.coder-modules/<name>. A name has one or two levels. ' +
    '"ion modules audit" lists modules whose data is lost at a restart or collides with another one, and what migrate ' +
    'would do. "ion modules migrate" moves that data into stable folders and leaves links; in a pipe it only shows what ' +
    'it would do, unless --yes is given. It refuses (exit 4) if the target exists or the data is in use.',
  arguments: [
    {
      name: 'subcommand',
      summary: 'path, audit or migrate',
      required: true,
      choices: ['path', 'audit', 'migrate'],
    },
    {
      name: 'name',
      summary: 'name of the module, such as ion or coder/claude-code; for migrate as audit shows it (default: all)',
      many: true,
      completes: 'none',
    },
  ],
  options: [
    { flags: '--dry-run', summary: 'migrate: show what would be done without doing it' },
    { flags: '--undo', summary: 'migrate: move everything back' },
    { flags: '--yes', summary: 'migrate: do not ask; required in a pipe' },
    { flags: '--json', summary: 'audit, migrate: print one JSON object per line' },
  ],
  examples: [
    ['ion modules path coder/ion', 'print the folder, created if missing'],
    ['ion modules audit', 'what survives a restart and what does not'],
    ['ion modules migrate --dry-run', 'what would be moved'],
    ['ion modules migrate --undo --yes', 'move everything back, in a script'],
  ],
} as const satisfies CommandDefinition

export const config = {
  name: 'config',
  group: 'this machine',
  summary: 'show and change your settings',
  details:
    "Lists all settings and where each comes from; config.toml is in Ion's home (ion config path). An " +
    'option wins over the environment, the environment over the file. "set" and "unset" change one value and keep your ' +
    'comments; "edit" opens $VISUAL or $EDITOR and checks the file afterwards. Keys: agent, agents.<agent>.arguments, pager, ' +
    'colour, all, projects.<name>, replica.* (docs/configuration.md). Exit code 1 if something in the file is wrong, or if "get" finds ' +
    'nothing. All other commands print a warning then, and ignore that part of the file.',
  arguments: [
    {
      name: 'subcommand',
      summary: 'list (default), get, set, unset, path or edit',
      choices: ['list', 'get', 'set', 'unset', 'path', 'edit'],
    },
    { name: 'key', summary: 'name of the setting', completes: 'none' },
    { name: 'value', summary: 'set: the new value', many: true, completes: 'none' },
  ],
  options: [{ flags: '--json', summary: 'list, get: print one JSON object per setting' }],
  rest: { name: 'value', summary: 'for a value that begins with a dash' },
  examples: [
    ['ion config', 'all settings, and where each comes from'],
    ['ion config set agent claude', 'ion run "fix the failing test" then starts Claude Code'],
    ['ion config set agents.claude.arguments -- --model opus', 'passed at every start'],
    ['ion config set projects.shop ~/src/shop', 'ion sessions --project shop, ion search refund in:shop'],
    ['ion config unset pager', 'back to the default'],
  ],
} as const satisfies CommandDefinition

export const completion = {
  name: 'completion',
  group: 'this machine',
  summary: 'print the completion script for a shell',
  details: 'The script asks Ion, so it completes commands, options, agents and session ids with their titles.',
  arguments: [
    {
      name: 'shell',
      summary: 'bash, zsh, fish or powershell',
      required: true,
      choices: ['bash', 'zsh', 'fish', 'powershell'],
    },
  ],
  examples: [
    ['source <(ion completion bash)', 'in ~/.bashrc'],
    ['source <(ion completion zsh)', 'in ~/.zshrc, after compinit'],
    ['ion completion fish > ~/.config/fish/completions/ion.fish', 'once'],
    ['ion completion powershell | Out-String | Invoke-Expression', 'in $PROFILE'],
  ],
} as const satisfies CommandDefinition

export const demo = {
  name: 'demo',
  group: 'this machine',
  summary: 'a one-minute tour on sample sessions; touches nothing of yours',
  details:
    'Creates a temporary home with sample sessions of all agents, runs the real commands in it, and removes it again. In ' +
    'a terminal it waits for a key between steps: press any key to continue, q to quit.',
  options: [
    { flags: '--keep', summary: 'keep the temporary home and print how to use it' },
    { flags: '--no-pause', summary: 'do not wait for a key' },
  ],
  examples: [
    ['ion demo', 'the tour'],
    ['ion demo --keep --no-pause', 'keep the samples to try things out'],
  ],
} as const satisfies CommandDefinition

export const storage = {
  name: 'storage',
  group: 'this machine',
  summary: 'disk usage of sessions, growth, upcoming deletions',
  details:
    "Deletes nothing. Shows sizes by agent, project and session, and measures the agents' folders with everything in them. " +
    'docs/storage.md explains the figures and the JSON.',
  options: [
    agentFilter,
    { flags: '--limit <n>', summary: 'maximum number of projects, sessions and deletions (default 10, 0 = all)' },
    { flags: '--json', summary: 'print one JSON object per line, with its kind' },
  ],
  examples: [
    ['ion storage', 'charts and tables'],
    ['ion storage --agent claude --limit 0', 'everything of one agent'],
    [`ion storage --limit 0 --json | jq 'select(.kind == "deletion")'`, 'upcoming deletions, for a script'],
  ],
} as const satisfies CommandDefinition

export const prices = {
  name: 'prices',
  group: 'this machine',
  summary: 'prices of models: show, set, update',
  details:
    'Without arguments: where the prices come from, how old they are, and those you have set. With a model: its rates and ' +
    'which row of the table they are from. "set" overrides a price, in US dollars per million tokens; --from limits it to usage ' +
    'since a date. "unset" removes it. "update" reads a newer model_prices_and_context_window.json of LiteLLM; prices that ' +
    'changed count from today, or from --from, and earlier usage keeps its price. Ion never downloads prices ' +
    '(docs/prices.md). Exit code 3 if a model has no known price.',
  arguments: [
    {
      name: 'what',
      summary: 'a model; or set or unset, followed by a model; or update, followed by a file',
      completes: 'none',
    },
    { name: 'operand', summary: 'set, unset: the model; update: the file', completes: 'file' },
  ],
  options: [
    { flags: '--input <usd>', summary: 'set: input that is not cached, per million tokens', completes: 'none' },
    { flags: '--output <usd>', summary: 'set: output, reasoning included', completes: 'none' },
    { flags: '--cache-read <usd>', summary: 'set: input read from a cache', completes: 'none' },
    { flags: '--cache-write <usd>', summary: 'set: input written to a cache for 5 minutes', completes: 'none' },
    { flags: '--cache-write-1h <usd>', summary: 'set: input written to a cache for an hour', completes: 'none' },
    {
      flags: '--from <date>',
      summary: 'set, update: the new price counts for usage since then (2026-11-01, 7d, today)',
      completes: 'none',
    },
    { flags: '--json', summary: 'print one JSON object per line, with its kind' },
  ],
  examples: [
    ['ion prices', 'source, version and age of the table; your own prices'],
    ['ion prices claude-opus-4-5-20251101', 'the rates that are used, and why'],
    [
      'ion prices set my-model --input 0.4 --output 1.6 --cache-read 0.1',
      'a model that the table lacks, or a discount',
    ],
    ['ion prices unset my-model', 'back to the table'],
    ['ion prices update model_prices_and_context_window.json', 'newer prices, from a file that you downloaded'],
  ],
} as const satisfies CommandDefinition
