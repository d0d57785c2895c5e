import { resolve } from 'node:path'
import { effectiveReplica } from '../../../config/precedence.ts'
import { withoutTilde } from '../../../platform/home.ts'
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
  const keyFile = options.replicaKeyFile ?? key_file.value
  return {
    address,
    ...(keyFile === undefined ? {} : { keyFile: resolve(io.cwd, withoutTilde(keyFile, io)) }),
    ...(recipients.value ? { recipients: recipients.value } : {}),
    ...(options.encryption === false || !encryption.value ? { noEncryption: true } : {}),
    days: days.value,
  }
}
