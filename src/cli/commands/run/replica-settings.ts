import { resolve } from 'node:path'
import type { Io } from '../../../platform/io.ts'
import type { ReplicaSettings } from '../../../replica/open.ts'

/** What the options, the environment and the settings say, in this order. Undefined for none. */
export function replicaSettings(
  options: {
    readonly replica?: string | undefined
    readonly replicaKeyFile?: string | undefined
    readonly encryption?: boolean
  },
  { env, cwd }: Io,
): ReplicaSettings | undefined {
  const address = options.replica ?? (env.ION_REPLICA || undefined)
  if (address === undefined || address === 'none') return undefined
  const keyFile = options.replicaKeyFile ?? (env.ION_REPLICA_KEY_FILE || undefined)
  return {
    address,
    ...(keyFile === undefined ? {} : { keyFile: resolve(cwd, keyFile) }),
    ...(options.encryption === false || env.ION_REPLICA_ENCRYPTION === 'none' ? { noEncryption: true } : {}),
  }
}
