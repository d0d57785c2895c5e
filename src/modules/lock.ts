import { IonError } from '../platform/error.ts'
import type { Io } from '../platform/io.ts'
import { isHolder, takeLease } from '../platform/lease.ts'
import { journalFile } from './journal.ts'

/** The lease of the process that moves data. */
export function leaseFolder(io: Io): string {
  return `${journalFile(io)}.lease`
}

/** Runs `body` unless another process is migrating. A process that died does not count. */
export function withMigrationLease<T>(io: Io, body: () => T): T {
  const lease = takeLease(leaseFolder(io), { since: io.now().toISOString() })
  if (isHolder(lease)) {
    throw new IonError('refused', `another process (${lease.pid}) is migrating`, { hint: 'wait for it to end' })
  }
  try {
    return body()
  } finally {
    lease.release()
  }
}
