import { effect, signal } from '@preact/signals'
import type { ChangeEvent } from '../../../server/browse/contract.ts'
import { type Connection, follow } from '../../api/follow.ts'
import { changesUrl } from '../api.ts'
import { route } from './route.ts'
import { applyEntries, catchUp, detail, listed, patchDetail, reloadDetail, resetSession } from './session.ts'
import { applyRows, reloadList } from './sessions.ts'

export const connection = signal<Connection>({ state: 'connecting' })

let stream: ReturnType<typeof follow> | undefined

/** One stream for the list and the open session; another session is another stream, and until it is open the one before stays. */
export function followChanges(): void {
  let followed: string | undefined | null = null
  let number = 0
  const before: { close(): void }[] = []
  effect(() => {
    const { session } = route.value
    if (session === followed) return
    followed = session
    if (stream) before.push(stream)
    const mine = ++number
    let isFirst = true
    stream = follow({
      url: () => changesUrl(session),
      onConnection: (now) => {
        if (mine !== number) return
        connection.value = now
        if (now.state === 'connecting') return
        for (const one of before.splice(0)) one.close()
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
  }
}
