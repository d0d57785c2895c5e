import { renewReleased } from './lease.ts'
import type { ReplicaKey } from './seal/keys.ts'
import { type NextKey, rekey } from './seal/open-config.ts'
import type { ObjectStore } from './store/object-store.ts'
import { taskLogs } from './stored-tasks.ts'

/**
 * Changes the key of a store. Workspaces that remember its old config do not start by that any more. If that fails for some of
 * them, they notice the new config a moment after their start, before they store anything.
 */
export async function rekeyReplica(store: ObjectStore, key: ReplicaKey, next: NextKey): Promise<void> {
  const sealer = await rekey(store, key, next)
  try {
    for await (const log of taskLogs({ store, sealer })) await renewReleased(log).catch(() => {})
  } catch {
    // The key was changed, whatever became of the leases.
  }
}
