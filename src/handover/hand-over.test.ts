import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { listAll, readAll } from '../../test/support/read-all.ts'
import { scratchIo, treeState } from '../../test/support/scratch.ts'
import { findAgent } from '../agents/find.ts'
import type { SessionHead } from '../events/session.ts'
import { contentText } from '../events/text.ts'
import { readMarks } from '../organise/read-marks.ts'
import { IonError } from '../platform/error.ts'
import type { Io } from '../platform/io.ts'
import { carryOut, type HandedOver, type HandoverOptions, type HandoverPlan, planHandover } from './hand-over.ts'
import { knownHandovers } from './ledger.ts'
import { undoHandover } from './undo.ts'

const claude = findAgent('claude')
const codex = findAgent('codex')
const usual: HandoverOptions = {
  as: 'auto',
  tools: 'keep',
  thinking: 'drop',
  budget: undefined,
  extent: {},
  again: false,
  incomplete: false,
  experimental: false,
}

interface World {
  readonly io: Io
  readonly source: SessionHead
  plan(options?: Partial<HandoverOptions>, version?: string): HandoverPlan
  handOver(options?: Partial<HandoverOptions>): HandedOver
}

/** A home with one session of Claude Code, to be continued in Codex. */
function world(): World {
  const io = scratchIo(fileURLToPath(new URL('../../samples/claude/', import.meta.url)))
  const cwd = join(io.home, 'shop')
  mkdirSync(cwd)
  const source = listAll(claude, io).heads.find(({ title }) => title === 'Customers get their refund twice')!
  const plan: World['plan'] = (options = {}, version = codex.writer!.proven.newest) => {
    // Grown or not, the head is what the store says now.
    const head = listAll(claude, io).heads.find(({ id }) => id === source.id)!
    const from = { head, reader: claude }
    return planHandover(
      { source: from, sourceAgent: claude, target: codex, version, cwd, options: { ...usual, ...options } },
      io,
    )
  }
  return { io, source, plan, handOver: (options) => carryOut(plan(options), io) }
}

function prompts(head: SessionHead, io: Io): string[] {
  return readAll(codex, head, io).events.flatMap((event) => (event.type === 'user' ? [contentText(event.content)] : []))
}

/** One more turn, as Claude Code would add it. */
function grow({ source }: World): void {
  const [first = ''] = readFileSync(source.path, 'utf8').split('\n')
  const line = {
    ...JSON.parse(first),
    uuid: 'grown',
    parentUuid: lastUuid(source.path),
    message: { role: 'user', content: 'And now?' },
  }
  appendFileSync(source.path, `${JSON.stringify(line)}\n`)
}

function lastUuid(path: string): string {
  const uuids = readFileSync(path, 'utf8').match(/"uuid":"([^"]+)"/g) ?? []
  return /"uuid":"([^"]+)"/.exec(uuids.at(-1)!)![1]!
}

test('the new session has the conversation, knows where it is from, and the source is not touched', () => {
  const here = world()
  const { io, source } = here
  const before = treeState(join(io.home, '.claude'))
  const plan = here.plan()
  expect([plan.mode, plan.act, plan.events]).toEqual([
    'native',
    'new',
    { kept: 19, changed: 0, shortened: 0, text: 0, dropped: 1 },
  ])
  const over = carryOut(plan, io)
  expect(prompts(over.head, io)).toEqual([
    'Support says that some customers get their refund twice. Orders 1042 and 1057. Can you find out why?',
    'Makes sense. Fix it, and prove it with a test.',
    'Does staging use the same provider account? Please check.',
  ])
  const marks = readMarks(io)
  expect(marks.get(over.head)).toMatchObject({
    name: 'Customers get their refund twice (from Claude Code)',
    origin: { agent: 'claude', id: source.id },
  })
  expect(marks.get(source).handed_over_to).toEqual([over.id])
  expect(treeState(join(io.home, '.claude'))).toEqual(before)
})

test('a second handover finds the first; --again makes another', () => {
  const here = world()
  const first = here.handOver()
  expect(here.plan().act).toBe('same')
  expect(here.handOver().id).toBe(first.id)
  const second = here.handOver({ again: true })
  expect(second.id).not.toBe(first.id)
  expect(knownHandovers(here.io).map(({ target }) => target.id)).toEqual([first.id, second.id])
})

test('an unused copy of a session that grew gets exactly the rest', () => {
  const here = world()
  const first = here.handOver()
  const before = readFileSync(first.head.path, 'utf8')
  grow(here)
  expect(here.plan().act).toBe('rest')
  const again = here.handOver()
  expect(again.id).toBe(first.id)
  const after = readFileSync(first.head.path, 'utf8')
  expect(after.startsWith(before)).toBe(true)
  expect(prompts(again.head, here.io).at(-1)).toBe('And now?')
  expect(here.plan().act).toBe('same')
})

test('if both continued, nothing is written and the hint says what can be done', () => {
  const here = world()
  const first = here.handOver()
  grow(here)
  appendFileSync(
    first.head.path,
    '{"timestamp":"2026-11-16T00:00:00.000Z","type":"event_msg","payload":{"type":"x"}}\n',
  )
  const before = treeState(here.io.home)
  expect(() => here.plan()).toThrow(/and both continued since/)
  expect(treeState(here.io.home)).toEqual(before)
  expect(here.plan({ again: true }).act).toBe('new')
})

test('undo removes exactly what was written, by either id', () => {
  const here = world()
  const before = treeState(here.io.home)
  const { id } = here.handOver()
  expect(undoHandover(id.slice(0, 8), here.io).removed.length).toBe(1)
  expect(treeState(here.io.home)).toEqual(before)
  expect(readMarks(here.io).get(here.source).handed_over_to).toEqual([])
  here.handOver()
  expect(undoHandover(here.source.id, here.io).removed.length).toBe(1)
  expect(knownHandovers(here.io)).toEqual([])
  expect(() => undoHandover(here.source.id, here.io)).toThrow(/no handover of/)
})

test('undo refuses as soon as the agent has written to the session', () => {
  const here = world()
  const { id, head } = here.handOver()
  appendFileSync(head.path, '{"timestamp":"2026-11-16T00:00:00.000Z","type":"event_msg","payload":{"type":"x"}}\n')
  const before = treeState(here.io.home)
  expect(() => undoHandover(id, here.io)).toThrow(/Codex has used it/)
  expect(treeState(here.io.home)).toEqual(before)
})

test('a version with which it was not proven gets a brief, unless the user insists', () => {
  const here = world()
  const { mode, reason } = here.plan({}, '99.0.0')
  expect([mode, reason]).toEqual(['brief', expect.stringContaining('not proven with Codex 99.0.0')])
  expect(here.plan({ as: 'native' }, '99.0.0').mode).toBe('native')
})

test('what does not fit becomes a brief that is short and says where the rest is', () => {
  const here = world()
  const { mode, session, brief, tokens } = here.plan({ budget: 500 })
  expect(mode).toBe('brief')
  expect(tokens).toBeLessThan(900)
  expect(brief).toContain('Support says that some customers get their refund twice')
  expect(brief).toContain('src/webhooks/payment.ts (edit, +1 -1)')
  expect(brief).toContain('**User:** Does staging use the same provider account?')
  expect(brief).toContain(`ion show ${here.source.id}`)
  expect(session.messages).toEqual([
    {
      role: 'user',
      id: expect.any(String),
      timestamp: expect.any(String),
      isSummary: true,
      content: [{ type: 'text', text: brief }],
    },
  ])
  const over = here.handOver({ budget: 500 })
  expect(prompts(over.head, here.io)).toEqual([brief])
})

test('a damaged session is refused, and the rest of it is handed over on request', () => {
  const here = world()
  const lines = readFileSync(here.source.path, 'utf8').split('\n')
  writeFileSync(here.source.path, [...lines.slice(0, 2), '{"type":"user", broken', ...lines.slice(2)].join('\n'))
  const before = treeState(here.io.home)
  const error = failure(() => here.plan())
  expect([error.kind, error.message]).toEqual(['refused', expect.stringContaining('1 record cannot be read')])
  expect(treeState(here.io.home)).toEqual(before)
  expect(here.plan({ incomplete: true }).act).toBe('new')
})

test('settings that Codex itself would refuse are reported before anything is written', () => {
  const here = world()
  mkdirSync(join(here.io.home, '.codex'))
  writeFileSync(join(here.io.home, '.codex', 'config.toml'), 'not toml')
  expect(failure(() => here.plan()).message).toContain('config.toml of Codex cannot be read')
})

function failure(act: () => unknown): IonError {
  try {
    act()
  } catch (error) {
    if (error instanceof IonError) return error
    throw error
  }
  throw new Error('it did not fail')
}
