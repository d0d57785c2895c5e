import { findKey, generateKey, type ReplicaKey } from '../../src/replica/seal/keys.ts'
import { scratchIo } from './scratch.ts'

/** A new key as a user has it in the environment. */
export async function newKey(): Promise<ReplicaKey> {
  const { text } = await generateKey(scratchIo())
  return (await findKey(scratchIo(undefined, { ION_REPLICA_KEY: text })))!
}
