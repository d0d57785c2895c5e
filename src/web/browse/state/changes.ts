import { effect, signal } from '@preact/signals'
import type { ChangeEvent } from '../../../server/browse/contract.ts'
import { type Connection, follow } from '../../api/follow.ts'
import { changesUrl } from '../api.ts'
import { route } from './route.ts'
import { applyEntries, catchUp, listed, patchDetail, resetSession } from './session.ts'
import { applyRows, reloadList } from './sessions.ts'

export const connection = signal<Connection>({ state: 'connecting' })

let stream: ReturnType<typeof follow> | undefined

/** One stream for the list and the open session; another session is another stream. */
export function followChanges(): void {
  let followed: string | undefined | null = null
  effect(() => {
    const { session } = route.value
    if (session === followed) return
    followed = session
    stream?.close()
    let isFirst = true
    stream = follow({
      url: () => changesUrl(session),
      onConnection: (now) => {
        connection.value = now
        if (now.state !== 'open') return
        // What happened before the stream was open is not in it.
        if (!isFirst) {
          reloadList()
          void catchUp()
        } else if (listed.peek()?.live) void catchUp()
        isFirst = false
      },
      onEvents: (events) => {
        for (const { data } of events) apply(JSON.parse(data) as ChangeEvent)
      },
    })
  })
}

export function retryNow(): void {
  stream?.retry()
}

function apply(change: ChangeEvent): void {
  switch (change.type) {
    case 'sessions': {
      applyRows(change.changed, change.removed)
      const own = change.changed.find(({ id }) => id === route.peek().session)
      if (own) patchDetail({ ...own, ...(own.live ? {} : { live: undefined }) } as Parameters<typeof patchDetail>[0])
      return
    }
    case 'entries':
      applyEntries(change.session, change.entries)
      return
    case 'reset':
      resetSession(change.session)
  }
}
