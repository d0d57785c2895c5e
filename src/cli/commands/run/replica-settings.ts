import { resolve } from 'node:path'
import { effectiveReplica } from '../../../config/precedence.ts'
import { IonError } from '../../../platform/error.ts'
import { withoutTilde } from '../../../platform/home.ts'
import { plain } from '../../../platform/plain-text.ts'
import type { ReplicaSettings } from '../../../replica/open.ts'
import type { Context } from '../../command.ts'

export interface ReplicaOptions {
  readonly replica?: string | undefined
  readonly replicaKeyFile?: string | undefined
  readonly encryption?: boolean
}

/** What the options, the environment and the settings say, in this order. Undefined for none. */
export function replicaSettings(
  options: ReplicaOptions,
  { io, config }: Pick<Context, 'io' | 'config'>,
): ReplicaSettings | undefined {
  const { address: set, key_file, recipients, encryption, days } = effectiveReplica(config, io.env)
  const address = options.replica ?? set.value
  if (address === undefined || address === 'none') return undefined
  const variable = io.env.ION_REPLICA_ENCRYPTION
  if (variable && variable !== 'none') {
    // Whoever sets it wants something that it would not do.
    throw new IonError('usage', `ION_REPLICA_ENCRYPTION is "${plain(variable)}"`, {
      hint: 'set it to none for a store without encryption, or leave it out',
    })
  }
  const keyFile = options.replicaKeyFile ?? key_file.value
  return {
    address,
    ...(keyFile === undefined ? {} : { keyFile: resolve(io.cwd, withoutTilde(keyFile, io)) }),
    ...(recipients.value ? { recipients: recipients.value } : {}),
    ...(options.encryption === false || !encryption.value ? { noEncryption: true } : {}),
    days: days.value,
  }
}
