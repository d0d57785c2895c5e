import { type ExitKind, IonError } from '../../../platform/error.ts'
import { type OpenStore, openExistingAt, type ReplicaSettings } from '../../../replica/open.ts'
import { StoreError } from '../../../replica/store/object-store.ts'
import type { ArgumentsOf, Context, OptionsOf, Run } from '../../command.ts'
import type { replica } from '../../definitions/copies.ts'
import { refuseOtherOptions } from '../../subcommand-options.ts'
import { replicaSettings } from '../run/replica-settings.ts'
import { createKey, rekeyStore } from './keys.ts'
import { restore } from './restore.ts'
import { status } from './status.ts'
import { prune, verify } from './upkeep.ts'

export type ReplicaCommandOptions = OptionsOf<typeof replica>
type Subcommand = ArgumentsOf<typeof replica>[0]

/** The options of each subcommand, in addition to those that name the store. */
const allowed: Readonly<Record<Subcommand, readonly (keyof ReplicaCommandOptions)[]>> = {
  status: ['json'],
  verify: ['json'],
  restore: ['task', 'from', 'at', 'replace', 'dryRun', 'json'],
  prune: ['days', 'dryRun', 'json'],
  rekey: ['newKeyFile'],
  key: [],
}
const ofStore = ['replica', 'replicaKeyFile', 'encryption']
const takesWhat: readonly Subcommand[] = ['status', 'restore', 'key']

export const run: Run<typeof replica> = async ([subcommand, what], options, context) => {
  const odd = what !== undefined && !takesWhat.includes(subcommand) ? `"${what}"` : undefined
  refuseOtherOptions(`replica ${subcommand}`, options, [...allowed[subcommand], ...ofStore], odd)
  try {
    return await execute(subcommand, what, options, context)
  } catch (error) {
    throw error instanceof StoreError ? error.toIonError() : error
  }
}

async function execute(
  subcommand: Subcommand,
  what: string | undefined,
  options: ReplicaCommandOptions,
  context: Context,
): Promise<ExitKind> {
  if (subcommand === 'key') return createKey(what, context)
  const address = options.replica ?? (subcommand === 'status' ? what : undefined)
  const settings = requireSettings({ ...options, replica: address }, context)
  const open = (): Promise<OpenStore> => openExistingAt(settings, context.io)
  switch (subcommand) {
    case 'status':
      return status(await open(), options, context)
    case 'verify':
      return verify(await open(), options, context)
    case 'prune':
      return prune(open, settings, options, context)
    case 'restore':
      return restore(what, open, options, context)
    case 'rekey':
      return rekeyStore(settings, options.newKeyFile, context)
  }
}

function requireSettings(options: ReplicaCommandOptions, context: Context): ReplicaSettings {
  const settings = replicaSettings(options, context)
  if (settings) return settings
  throw new IonError('usage', 'no store is named', {
    hint: 'add --replica s3://bucket/prefix or --replica file:///mnt/share, set ION_REPLICA, or: ion config set replica.address …',
  })
}
