// What a provider seals for itself: signatures of thinking, encrypted reasoning. It accepts only its own, and only for the
// organisation that it was issued to. Nothing is remembered, so that a stub accepts what an earlier one issued.
import { createHash } from 'node:crypto'

/** The organisation of every stub that is not given another one. */
export const ORGANISATION = 'org-stub'

/** Base64, as all providers use; a text that nobody else could have made. */
export function seal(organisation: string, text: string): string {
  const digest = hash(text)
  return Buffer.from([organisation, digest, markOf(organisation, digest)].join('.')).toString('base64')
}

/** Who a seal was issued to, if a stub issued it. */
export function sealedFor(sealed: unknown): string | undefined {
  if (typeof sealed !== 'string') return undefined
  const [organisation = '', digest = '', mark] = Buffer.from(sealed, 'base64').toString().split('.')
  return mark !== undefined && mark === markOf(organisation, digest) ? organisation : undefined
}

function markOf(organisation: string, digest: string): string {
  return hash(`a stub issued this: ${organisation} ${digest}`)
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32)
}
