import type { CommandDefinition } from '../command.ts'
import { agentFilter, projectFilter } from './common.ts'

export const usage = {
  name: 'usage',
  group: 'find and share sessions',
  summary: 'tokens and costs: by day, session, model, project …',
  details:
    'Counts each model call once, wherever forks, resumed sessions, sub-agents and archived copies repeat it, and prices it at list ' +
    'prices of its day (docs/usage.md). Reports: daily (default), weekly, monthly, sessions, models, projects, agents, blocks (windows ' +
    'of five hours). "explain" lists the calls of a session that were counted, and the records that were not, with the reason. ' +
    '"statusline" prints one line for the statusline hook of an agent, whose JSON it reads from stdin. "quotas" prints the limits that ' +
    'agents have stored on this machine. Nothing is asked of a server.',
  arguments: [
    {
      name: 'report',
      summary: 'daily, weekly, monthly, sessions, models, projects, agents, blocks; explain, statusline, quotas',
      choices: [
        'daily', 'weekly', 'monthly', 'sessions', 'models', 'projects', 'agents', 'blocks',
        'explain', 'statusline', 'quotas',
      ], // biome-ignore format: a list
    },
    { name: 'id', summary: 'explain: the session', completes: 'session' },
  ],
  options: [
    { flags: '--since <time>', summary: 'calls since then: 7d, 3w, today, 2026-11-01', completes: 'none' },
    { flags: '--until <time>', summary: 'calls before then; a date includes that day', completes: 'none' },
    agentFilter,
    projectFilter,
    {
      flags: '--model <name>',
      summary: 'only models whose name contains this; can be repeated',
      many: true,
      completes: 'none',
    },
    {
      flags: '--timezone <zone>',
      summary: 'whose days and times, such as UTC or Europe/Berlin (default: that of this machine)',
      completes: 'none',
    },
    { flags: '--breakdown', summary: 'one more line per model' },
    {
      flags: '--limit <n>',
      summary: 'maximum number of rows: the last days, the most expensive sessions … (default 30, 0 = all)',
    },
    { flags: '--json', summary: 'print one JSON object per row, then the total' },
    { flags: '--csv', summary: 'print comma-separated values; costs in micro-dollars' },
  ],
  examples: [
    ['ion usage', 'the last 30 days with any usage'],
    ['ion usage monthly --breakdown', 'months, by model'],
    ['ion usage sessions --since 7d', 'the most expensive sessions of the week'],
    ['ion usage projects --agent codex --csv', 'for a spreadsheet'],
    ['ion usage explain 3f2a91bc', 'every call that was counted, and every record that was not'],
  ],
} as const satisfies CommandDefinition
