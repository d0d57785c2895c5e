import type { JSX } from 'preact'
import { plain } from '../../../platform/plain-text.ts'
import type { FileEdit } from '../../../server/browse/contract.ts'
import { shortTime } from '../../text/labels.ts'
import { DiffBlock } from '../../view/diff-block.tsx'
import { hrefOf } from '../state/route.ts'

const KINDS = { edited: 'Edited', written: 'Written', deleted: 'Deleted' } as const

/** The edits of one file in their order, each with the way to where it was made. */
export function FileEdits({
  session,
  edits,
}: {
  readonly session: string
  readonly edits: readonly FileEdit[]
}): JSX.Element {
  return (
    <>
      {edits.map(({ event, time, turn, diff, kind, is_cut }, index) => (
        <div key={index} class="edit">
          <p class="label">
            {KINDS[kind]}
            {turn === null ? ', on a branch that was left' : `, prompt ${turn}`}
            {time && `, ${shortTime(time, new Date())}`}
            {' · '}
            <a href={hrefOf({ session, event, query: { tab: undefined, turn: undefined, source: undefined } })}>
              show in the transcript
            </a>
          </p>
          {diff === '' ? <p class="quiet">Its content is not in the transcript.</p> : <DiffBlock text={plain(diff)} />}
          {is_cut && <p class="quiet">Only the beginning is shown.</p>}
        </div>
      ))}
    </>
  )
}
