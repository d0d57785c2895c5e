import { effect, signal } from '@preact/signals'
import type { ChangeEvent } from '../../../server/browse/contract.ts'
import { type Connection, follow } from '../../api/follow.ts'
import { changesUrl } from '../api.ts'
import { route } from './route.ts'
import {
  applyEntries,
  catchUp,
  detail,
  hasFailed,
  patchDetail,
  reloadDetail,
  reloadSession,
  resetSession,
} from './session.ts'
import { applyRows, reloadList } from './sessions.ts'

export const connection = signal<Connection>({ state: 'connecting' })

let stream: ReturnType<typeof follow> | undefined

/**
 * One stream for the list and the open session; another session is another stream. Until it is open the one before stays, so that no
 * change of the list is lost; not more than that one, since a browser has few connections.
 */
export function followChanges(): void {
  let followed: string | undefined | null = null
  let number = 0
  let before: { close(): void } | undefined
  let wasLost = false
  effect(() => {
    const { session } = route.value
    if (session === followed) return
    followed = session
    if (connection.peek().state === 'open') before = stream
    else stream?.close()
    const mine = ++number
    stream = follow({
      url: () => changesUrl(session),
      onConnection: (now) => {
        if (mine !== number) return
        connection.value = now
        if (now.state === 'connecting') return
        before?.close()
        before = undefined
        if (now.state === 'lost') wasLost = true
        if (now.state !== 'open' || !wasLost) return
        // What happened meanwhile was sent to nobody. The session is caught up with when it is followed again.
        wasLost = false
        reloadList()
        if (hasFailed()) reloadSession()
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
      if (!own) return
      // What the row does not have: its note, and the name as such.
      if (own.marked_at !== detail.peek()?.marked_at) void reloadDetail()
      patchDetail({ ...own, ...(own.live ? {} : { live: undefined }) } as Parameters<typeof patchDetail>[0])
      return
    }
    case 'entries':
      applyEntries(change.session, change.entries)
      return
    case 'reset':
      resetSession(change.session)
      return
    case 'ready':
      void catchUp(change.session, change.version)
  }
}
