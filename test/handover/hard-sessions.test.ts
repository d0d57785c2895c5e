import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Message } from '../../src/agents/write.ts'
import type { SessionItem } from '../../src/events/item.ts'
import { collect } from '../../src/handover/collect.ts'
import { toConversation } from '../../src/handover/conversation.ts'
import { Losses } from '../../src/handover/report.ts'
import { readContext } from '../../src/native/read-context.ts'
import { scratchIo } from '../support/scratch.ts'
import { fidelityOf, outcomes, reasonsOf } from './fidelity.ts'
import { hardSessions, NEVER_SEEN, seenByModel } from './hard-sessions.ts'
import type { Piece } from './received.ts'
import { allSources, place, RICH, type Source } from './sources.ts'

const sources = await allSources()

test('every hard session is expressed by a source in its own records', () => {
  const native = sources.filter(({ form }) => form === 'native')
  expect(Object.keys(hardSessions).filter((name) => !native.some(({ names }) => names.includes(name)))).toEqual([])
  expect(Object.keys(hardSessions).length).toBe(12)
})

test.each(sources.map((source) => [source.agent.id, source] as const))(
  '%s: a conversation made from its hard sessions has all that the model must see',
  async (_, source) => {
    for (const [name, all] of Object.entries(await conversations(source))) {
      expect({ name, reasons: reasonsOf(all) }).toEqual({ name, reasons: [] })
      const { order, ids } = fidelityOf(all)
      expect({ name, order: order.held, ids: ids.held }).toEqual({ name, order: order.of, ids: ids.of })
    }
  },
)

async function conversations(source: Source) {
  const io = scratchIo()
  const cwd = join(io.home, 'shop')
  mkdirSync(cwd)
  const placed = await place(source, [RICH, ...source.names], { ...io, cwd })
  return Object.fromEntries(
    placed.map(({ name, head, seen }) => {
      const losses = new Losses()
      const { events, problems } = collect(
        () => source.agent.read(head, readContext(io)) as Iterable<SessionItem>,
        {},
        losses,
      )
      expect({ name, problems }).toEqual({ name, problems: [] })
      const messages = toConversation(events, { calls: 'kept', images: true, thinking: 'drop' }, losses)
      expect(JSON.stringify(messages)).not.toMatch(NEVER_SEEN)
      return [name, outcomes(seen, messages.flatMap(piecesOf), Object.fromEntries(losses.callIds))]
    }),
  )
}

function piecesOf({ role, content }: Message): Piece[] {
  const said = content.flatMap((block): Piece[] => {
    if (block.type === 'text') return [{ kind: 'text', role, text: block.text }]
    if (block.type === 'image') return [{ kind: 'image', data: block.data! }]
    return [{ kind: 'call', id: block.id, name: block.name, input: block.input }]
  })
  const results = content.flatMap((block): Piece[] =>
    block.type === 'call' ? [{ kind: 'result', id: block.id, text: block.output }] : [],
  )
  return [...said, ...results]
}

test('what the model must see: the last compaction, the current branch, results in the order of their calls', () => {
  expect(seenByModel(hardSessions['two compactions']!).map((event) => event.kind)).toEqual([
    'summary',
    'user',
    'call',
    'result',
    'assistant',
  ])
  expect(JSON.stringify(seenByModel(hardSessions.branch!))).not.toMatch(/abandoned/i)
  const ids = seenByModel(hardSessions['parallel calls']!).flatMap((event) =>
    event.kind === 'result' ? [event.id] : [],
  )
  expect(ids).toEqual(['toolu_par_1', 'toolu_par_2', 'toolu_par_3'])
})
