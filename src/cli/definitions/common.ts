/** Arguments and options of several commands. */

export const sessionArgument = {
  name: 'id',
  summary: 'id, native id or title, or its beginning',
  completes: 'session',
} as const

const onlyAgent = 'only this agent; can be repeated'
export const agentFilter = { flags: '--agent <id>', summary: onlyAgent, many: true, completes: 'agent' } as const

export const projectFilter = {
  flags: '--project <dir>',
  summary: 'only this project: a folder, or a name of ion config',
  completes: 'folder',
} as const

const withArchive = "also what only Ion's archive has: dropped, rewritten or compacted by the agent"
export const archived = { flags: '--archived', summary: withArchive } as const

const onServer = "also sessions stored on the agent's server (runs the agent's CLI)"
export const remote = { flags: '--remote', summary: onServer } as const

const asHome = 'restore into this folder as if it were the home'
export const restoreInto = { flags: '--to <folder>', summary: asHome, completes: 'folder' } as const

export const replicaOptions = [
  {
    flags: '--replica <address>',
    summary:
      'keep the task in a store (s3://bucket/prefix, file:///mnt/share), and restore it from there; "none" does not',
    completes: 'none',
  },
  {
    flags: '--replica-key-file <file>',
    summary: 'key of the store, if it is not in ION_REPLICA_KEY',
    completes: 'file',
  },
  { flags: '--no-encryption', summary: 'with a new store: do not encrypt it' },
] as const
