import type { JSX } from 'preact'
import { plain } from '../../../platform/plain-text.ts'
import type { ListedSession } from '../../../server/browse/contract.ts'
import { count } from '../../text/labels.ts'

/** What is not complete in a session: what could be read of it, and what is known of its cost. */
export function GapBadges({ session }: { readonly session: ListedSession }): JSX.Element {
  const { problems = 0, unpriced, model } = session
  return (
    <>
      {problems > 0 && (
        <span
          class="badge warn"
          title={`${count(problems, 'record', 'records')} could not be read: the transcript is not complete`}
        >
          {problems.toLocaleString()} unreadable
        </span>
      )}
      {unpriced && (
        <span class="badge" title={`Ion knows no price for ${plain(model ?? '')}: its cost is not counted`}>
          unpriced
        </span>
      )}
    </>
  )
}
