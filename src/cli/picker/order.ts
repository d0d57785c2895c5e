import { searchForm } from '../../platform/fold.ts'
import type { Listed } from './match.ts'

export const orders = ['newest', 'oldest', 'messages', 'size', 'title'] as const
export type Order = (typeof orders)[number]

export function nextOrder(order: Order): Order {
  return orders[(orders.indexOf(order) + 1) % orders.length]!
}

/** `rows` are newest first. Pinned ones come first in every order. */
export function inOrder(rows: readonly Listed[], order: Order): readonly Listed[] {
  return pinnedFirst(sorted(rows, order))
}

function sorted(rows: readonly Listed[], order: Order): readonly Listed[] {
  switch (order) {
    case 'newest':
      return rows
    case 'oldest':
      return rows.toReversed()
    case 'messages':
      return rows.toSorted((a, b) => b.row.messages - a.row.messages)
    case 'size':
      return rows.toSorted((a, b) => b.row.bytes - a.row.bytes)
    case 'title':
      return byTitle(rows)
  }
}

/** Those without a title are last. */
function byTitle(rows: readonly Listed[]): readonly Listed[] {
  const titled = rows.map((listed) => ({ listed, title: searchForm(listed.row.title ?? '').trim() || '\uffff' }))
  titled.sort((a, b) => (a.title < b.title ? -1 : a.title > b.title ? 1 : 0))
  return titled.map(({ listed }) => listed)
}

function pinnedFirst(rows: readonly Listed[]): readonly Listed[] {
  const pinned = rows.filter(({ row }) => row.pinned)
  return pinned.length === 0 ? rows : [...pinned, ...rows.filter(({ row }) => !row.pinned)]
}
