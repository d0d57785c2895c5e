import type { CommandDefinition } from '../command.ts'
import { agentFilter, projectFilter, replicaOptions, restoreInto, sessionArgument } from './common.ts'

export const capture = {
  name: 'capture',
  group: 'archive and restore',
  summary: "copy sessions into Ion's archive, where no agent deletes them",
  details:
    'Appends new events to one log per session and makes an exact copy; skips unchanged sessions. What an agent later drops, ' +
    'rewrites or deletes stays in the archive. "ion run" captures its own sessions automatically. With --all, what earlier ' +
    'calls archived is compressed, a part at each call: logs of sessions that have not changed for 30 days (.jsonl.gz, ' +
    'readable with zcat) and exact copies after a week.',
  arguments: [{ ...sessionArgument, many: true }],
  options: [
    { flags: '--all', summary: 'every session on this machine' },
    { flags: '--watch', summary: 'capture everything new, then whatever agents write; until Ctrl-C' },
    {
      flags: '--agent <id>',
      summary: 'with --all or --watch: only this agent; can be repeated',
      many: true,
      completes: 'agent',
    },
    { flags: '--verify', summary: 'read all exact copies back and report damage' },
    { flags: '--json', summary: 'print one JSON object per session' },
  ],
  examples: [
    ['ion capture --all', 'everything new since the last time'],
    ['ion capture 3f2a', 'one session'],
    ['ion capture --watch', 'keep running and archive whatever the agents write'],
  ],
} as const satisfies CommandDefinition

export const restore = {
  name: 'restore',
  group: 'archive and restore',
  summary: "restore a session to its agent's store, exactly as it was",
  details:
    'The agent can resume it again. Uses the exact copy made by "ion capture" and "ion run": files byte for byte, database ' +
    'rows in one transaction. Identical data is left alone. Different data is never overwritten, except with --replace, ' +
    'which captures it first. Files get new modification times, because some agents delete old files.',
  arguments: [{ ...sessionArgument, required: true }],
  options: [
    restoreInto,
    { flags: '--list', summary: 'list the versions of the session that have a copy' },
    { flags: '--state <n>', summary: 'restore an earlier version, by its number in --list' },
    { flags: '--replace', summary: 'replace what exists now, after capturing it' },
    { flags: '--json', summary: 'print one JSON object' },
  ],
  examples: [
    ['ion restore 3f2a', 'restore it'],
    ['ion restore 3f2a --to /tmp/look', 'to look at it: HOME=/tmp/look claude --resume …'],
  ],
} as const satisfies CommandDefinition

export const importLog = {
  name: 'import',
  group: 'archive and restore',
  summary: 'import exported logs, ATIF documents or agentapi chats',
  details:
    'Every line is checked first (docs/format.md); a file with a bad line is refused as a whole, and the line is named. ' +
    'Importing the same file twice adds nothing; a file that ends in the middle of a line is imported up to there, with a warning. A log that changes events of a session that is known here is kept as a ' +
    'fork, and one of another session with the same id gets a new id; both are reported. An agentapi state file ' +
    '(version 1) becomes a session; importing a later one of the same chat adds what is new and removes nothing. So does an ' +
    'ATIF document (Agent Trajectory Interchange Format 1.x, of any program), with its sub-agents; "ion --resume <id> --in ' +
    '<agent>" continues it. docs/archive.md has the details.',
  arguments: [
    {
      name: 'file',
      summary: 'a log (.jsonl), an ATIF document or an agentapi state file (.json)',
      many: true,
      required: true,
      completes: 'file',
    },
  ],
  options: [
    { flags: '--agent <id>', summary: 'the agent of the chat in a state file', completes: 'agent' },
    { flags: '--cwd <dir>', summary: 'the folder it ran in, if known' },
    { flags: '--json', summary: 'print one JSON object per file' },
  ],
  examples: [
    ['ion import backup/*.jsonl', 'a folder of exported sessions'],
    ['ion import run.atif.json', 'a run of another program'],
    ['ion import --agent claude ~/.claude-module/agentapi-state.json', 'the chat of a Coder module'],
  ],
} as const satisfies CommandDefinition

export const snapshot = {
  name: 'snapshot',
  group: 'archive and restore',
  summary: 'save all sessions to one file, and restore them on any machine',
  details:
    '"create" writes every session as its agent stores it into one .tar.gz with checksums and without credentials; agents ' +
    'can keep running. "list" and "verify" read the whole file. "restore" writes sessions to where the agents look: ' +
    'identical data is left alone, different data is never overwritten (exit code 4; the other sessions are restored). If ' +
    'the home folder differs, paths below it are adjusted. In a store (the one of --replica, with the same key) each "create" ' +
    'adds a snapshot, encrypted, and the others use the newest one, or that of --at. docs/snapshots.md has the format.',
  arguments: [
    {
      name: 'subcommand',
      summary: 'create, list, verify, restore',
      required: true,
      choices: ['create', 'list', 'verify', 'restore'],
    },
    {
      name: 'file',
      summary: 'the snapshot file, or a store: s3://bucket/prefix, file:///mnt/share',
      required: true,
      completes: 'file',
    },
    { name: 'id', summary: 'restore: only these sessions (id, prefix or native id)', many: true, completes: 'none' },
  ],
  options: [
    agentFilter,
    { flags: '--force', summary: 'create: overwrite an existing file' },
    { flags: '--at <time>', summary: 'the newest snapshot in the store until then: 14:02, 2d, 2026-11-18' },
    restoreInto,
    { flags: '--dry-run', summary: 'restore: show what would be done' },
    { flags: '--json', summary: 'print one JSON object per line' },
  ],
  examples: [
    ['ion snapshot create sessions.tar.gz', 'everything'],
    ['ion snapshot create codex.tar.gz --agent codex --force', 'one agent, overwriting the file'],
    ['ion snapshot list sessions.tar.gz', 'its content'],
    ['ion snapshot restore sessions.tar.gz --dry-run', 'what would be restored here'],
    ['ion snapshot create s3://bucket/ion', 'in a store, encrypted with the key in ION_REPLICA_KEY'],
  ],
} as const satisfies CommandDefinition

export const replica = {
  name: 'replica',
  group: 'archive and restore',
  summary: 'tasks in a store (ion run --replica): list, verify, restore',
  details:
    '"status" lists the tasks in the store: who works on each, how far back it can be restored, and how far the store is ' +
    'behind. "verify" reads everything back (exit code 1 for damage). "restore" restores a task of this project and starts ' +
    'nothing. "prune" removes old states; a start does so too, once a day. The store is that of --replica, ION_REPLICA or ' +
    'the setting replica.address.',
  arguments: [
    {
      name: 'subcommand',
      summary: 'status, verify, restore, prune, rekey, key',
      required: true,
      choices: ['status', 'verify', 'restore', 'prune', 'rekey', 'key'],
    },
    { name: 'what', summary: 'status: address of the store; restore: agent; key: file to write', completes: 'agent' },
  ],
  options: [
    ...replicaOptions,
    { flags: '--task <name>', summary: 'restore: name of the task (default: main)' },
    {
      flags: '--from <folder>',
      summary: 'restore: the task of another clone, by its path there (ion replica status)',
      completes: 'file',
    },
    {
      flags: '--at <time>',
      summary: 'restore: as it was then: 14:02, 10m, 2026-11-18T14:02 (default: the newest state)',
    },
    { flags: '--replace', summary: 'restore: replace the session here, after archiving it' },
    { flags: '--days <n>', summary: 'prune: keep states of this many days (default: 7)' },
    { flags: '--new-key-file <file>', summary: 'rekey: the new key', completes: 'file' },
    { flags: '--dry-run', summary: 'restore, prune: show what would be done' },
    { flags: '--json', summary: 'print one JSON object per line' },
  ],
  examples: [
    ['ion replica key ~/.ion/replica.key', 'a new key, which every workspace needs'],
    ['ion replica status s3://bucket/ion', 'the tasks there'],
    ['ion replica restore claude --at 14:02 --replace', 'the task of this project as it was at 14:02'],
    ['ion replica rekey --new-key-file new.key', 'another key from now on'],
  ],
} as const satisfies CommandDefinition

export const prune = {
  name: 'prune',
  group: 'archive and restore',
  summary: "remove old sessions from the agents' stores (undo with --undo)",
  details:
    'Removes the oldest first. Each session is archived, the archive and the exact copy are read back and compared with ' +
    "the agent's data, and only then is it removed. A session is kept when it is open, was used within the last hour, is " +
    'pinned by a task, is needed by a fork, or cannot be copied completely. In a terminal Ion shows the list and asks; ' +
    'in a pipe it does nothing without --yes (exit 4). docs/prune.md has the rules.',
  arguments: [{ name: 'id', summary: 'with --undo: only these sessions', many: true, completes: 'none' }],
  options: [
    { flags: '--older-than <time>', summary: 'last used before: 90d, 12w, or a date like 2026-01-31' },
    { flags: '--keep <n>', summary: 'keep the newest n of each agent; alone: remove all others' },
    { flags: '--max-size <size>', summary: 'remove the oldest until the rest is at most 500M, 5G' },
    agentFilter,
    projectFilter,
    { flags: '--dry-run', summary: 'show what would be done' },
    { flags: '--yes', summary: 'do not ask; required in a pipe' },
    { flags: '--undo', summary: 'restore the sessions of the last prune, or those given' },
    {
      flags: '--empty-trash',
      summary: 'delete the exact copies of pruned sessions; they stay readable but cannot be restored',
    },
    { flags: '--json', summary: 'print one JSON object per session' },
  ],
  examples: [
    ['ion prune --older-than 90d --keep 20 --dry-run', 'unused for 90 days, except the newest 20 of each agent'],
    ['ion prune --max-size 5G --agent codex', 'the oldest of one agent, until the rest fits'],
    ['ion prune --undo', 'restore what the last prune removed'],
    ['ion prune --empty-trash', 'free the disk space for good'],
  ],
} as const satisfies CommandDefinition
