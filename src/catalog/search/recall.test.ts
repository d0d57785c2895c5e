import { expect, test } from 'vitest'
import { SampleHome } from '../../../scripts/samples/sample-home.ts'
import { samples } from '../../../scripts/samples/samples.ts'
import type { Step } from '../../../scripts/samples/story.ts'
import { writeSample } from '../../../scripts/samples/write-sample.ts'
import { scratchIo } from '../../../test/support/scratch.ts'
import { agents } from '../../agents/_registry.ts'
import { passageOf } from '../../agents/passage.ts'
import { isProblem } from '../../events/item.ts'
import { changeMarks } from '../../organise/change-marks.ts'
import { openMemoryCatalog } from '../open.ts'
import { readSession } from '../read-session.ts'
import type { SearchQuery } from './query.ts'

// 252 terms of many kinds, planted at all places of sessions of every agent, in names and in notes. The truth is a plain scan.

/** A made-up word of small letters, the same at each run. */
function word(seed: number, length = 9): string {
  let state = seed * 2654435761 + 12345
  let text = ''
  while (text.length < length) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    text += String.fromCharCode(97 + ((state >>> 16) % 26))
  }
  return text
}

const upper = (text: string): string => text[0]!.toUpperCase() + text.slice(1)
const pick = (letters: string, seed: number, length: number): string =>
  [...word(seed, length)].map((letter) => [...letters][letter.charCodeAt(0) % [...letters].length]).join('')

/** Each kind: what is typed, and what the session has. */
const kinds: Readonly<Record<string, (seed: number) => { query: string; text: string }>> = {
  word: (n) => ({ query: word(n), text: word(n) }),
  prefix: (n) => ({ query: word(n).slice(0, 6), text: word(n) }),
  infix: (n) => ({ query: word(n).slice(2, 7), text: `${word(n)}s` }),
  'two characters': (n) => ({ query: `${word(n, 1)}§`, text: `${word(n, 1)}§${word(n)}` }),
  'part of a camelCase name': (n) => ({ query: upper(word(n, 6)), text: `get${upper(word(n, 6))}Value` }),
  'snake and kebab case': (n) => ({
    query: `${word(n, 5)}_${word(n + 1, 4)}`,
    text: `x_${word(n, 5)}_${word(n + 1, 4)}-y`,
  }),
  'beginning of a commit': (n) => ({
    query: `${n}`.padStart(3, '7') + word(n, 4),
    text: `${`${n}`.padStart(3, '7')}${word(n, 33)}`,
  }),
  'other case': (n) => ({ query: word(n).toUpperCase(), text: upper(word(n)) }),
  'accents not typed': (n) => ({ query: `${word(n, 5)}ene`, text: `${word(n, 5)}éñè` }),
  'accents typed': (n) => ({ query: `${word(n, 5)}éü`, text: `${word(n, 5)}eu` }),
  'separate accents': (n) => ({ query: `${word(n, 5)}éa`, text: `${word(n, 5)}e\u0301a` }),
  Japanese: (n) => ({
    query: pick('世界検索結果東京都時間', n, 3),
    text: `私は${pick('世界検索結果東京都時間', n, 3)}を見た`,
  }),
  Korean: (n) => ({
    query: pick('가나다라마바사아자차카타파하', n, 3),
    text: `그${pick('가나다라마바사아자차카타파하', n, 3)}는`,
  }),
  'Russian, other case': (n) => ({
    query: pick('абвгдежзиклмнопрст', n, 6),
    text: upper(pick('абвгдежзиклмнопрст', n, 6)),
  }),
  emoji: (n) => ({ query: pick('🚀🎉🔥🧪🐛💡🦀🐍', n, 3), text: `x${pick('🚀🎉🔥🧪🐛💡🦀🐍', n, 3)}y` }),
  'address and port': (n) => ({ query: `10.${n}.7.9:80${n % 10}`, text: `http://10.${n}.7.9:80${n % 10}1/` }),
  'signs of code': (n) => ({
    query: `${word(n, 4)}->c++<${word(n + 1, 3)}>&"`,
    text: `${word(n, 4)}->c++<${word(n + 1, 3)}>&"'`,
  }),
  'phrase over a line break': (n) => ({
    query: `${word(n, 5)} ${word(n + 1, 5)}`,
    text: `${word(n, 5)}\n\t ${word(n + 1, 5)}`,
  }),
}

const everything: SearchQuery = {
  ...{ wanted: [], excluded: [], agents: [], roles: [], tools: [], files: [], titles: [], projects: [], models: [] },
  ...{ tags: [], states: [], order: 'newest', limit: Number.MAX_SAFE_INTEGER },
}

const PER_KIND = 12
const terms = Object.entries(kinds).flatMap(([kind, make], at) =>
  Array.from({ length: PER_KIND }, (_, index) => ({ kind, ...make(1000 * at + index + 1) })),
)

/** Only in what users added: one of each kind in a name, and one in a note. */
const [inNames, inNotes] = [500, 501].map((seed) =>
  Object.entries(kinds).map(([kind, make], at) => ({ kind, ...make(1000 * at + seed) })),
) as [typeof terms, typeof terms]

const filler = (characters: number): string => 'lorem ipsum dolor sit amet '.repeat(Math.ceil(characters / 27))

/** Places of a session; each gets a part of the terms. */
const places: readonly ((text: string) => readonly Step[])[] = [
  (text) => [{ user: `Look at ${text} please` }],
  (text) => [{ user: `${filler(20_000)} ${text}` }],
  (text) => [{ user: 'Go on.' }, { think: `${filler(4000)} ${text} ${filler(200)}` }, { say: 'Done.' }],
  (text) => [{ user: 'Say it.' }, { say: `${filler(12_000)} ${text}` }],
  (text) => [{ user: 'Run it.' }, { shell: `echo ${text} | wc`, output: '1' }, { say: 'Done.' }],
  (text) => [
    { user: 'Run that.' },
    { shell: 'make', output: `${filler(50_000)}${text}${filler(50_000)}` },
    { say: 'Done.' },
  ],
  (text) => [
    { user: 'Change it.' },
    { edit: 'src/a.ts', before: 'x', after: `${filler(6000)}${text}` },
    { say: 'Done.' },
  ],
]

/** Without case, accents and differences in white space. */
function simplified(text: string): string {
  const bare = text
    .normalize('NFD')
    .replace(/[\u0300-\u036f]/g, '')
    .normalize('NFC')
  return bare.toLowerCase().replace(/\s+/g, ' ')
}

test('search finds, and counts, whatever a plain scan of all events, names and notes finds', async () => {
  const io = scratchIo()
  const all = await samples()
  const samplesCount = all.size
  for (const [id, { sessions, write }] of all) {
    const agent = agents.findIndex((one) => one.id === id)
    // Not every agent runs commands, or edits files.
    const used = new Set(sessions.flatMap(({ steps }) => steps.flatMap((step) => Object.keys(step))))
    const isUsual = (step: Step): boolean => Object.keys(step).some((key) => used.has(key) || key === 'think')
    const possible = places.filter((place) => place('').every(isUsual))
    const steps = possible.flatMap((place, at) => {
      const mine = terms.filter((_, index) => (index + agent) % possible.length === at)
      return place(mine.map(({ text }) => text).join(' · '))
    })
    const session = { title: `Recall ${id}`, start: '2026-10-01T09:00:00Z', model: 'm', steps }
    writeSample(id, { sessions: [session], write }, new SampleHome(io.home))
  }
  const catalog = openMemoryCatalog(io)
  catalog.refresh()
  for (const [index, row] of catalog.sessions({ hidden: true, subAgents: true }).entries()) {
    const mine = (all: typeof terms): string =>
      all
        .filter((_, at) => at % samplesCount === index)
        .map(({ text }) => text)
        .join(' · ')
    changeMarks(io, row, { name: mine(inNames) || null, note: mine(inNotes) || null, addTags: [word(index)] })
  }
  const texts = new Map(
    catalog.sessions({ hidden: true, subAgents: true }).map((row) => {
      const items = [...readSession(catalog.locate(row), io)]
      const found = items.flatMap((item) => (isProblem(item) ? [] : (passageOf(item.event)?.text ?? [])))
      return [
        `${row.agent} ${row.id}`,
        [catalog.locate(row).head.title ?? '', row.name ?? '', row.note ?? '', ...row.tags, ...found].map(simplified),
      ]
    }),
  )
  const wanted: Record<string, string[]> = {}
  const found: Record<string, string[]> = {}
  for (const { kind, query } of [...terms, ...inNames, ...inNotes]) {
    const name = `${kind}: ${query}`
    const count = (all: readonly string[]): number => all.filter((text) => text.includes(simplified(query))).length
    wanted[name] = [...texts].flatMap(([id, all]) => (count(all) > 0 ? [`${id}: ${count(all)}`] : [])).sort()
    const result = catalog.search({ ...everything, wanted: [[{ text: query }]] })
    expect(result).toMatchObject({ unsearched: [], isCut: false })
    found[name] = result.hits.map(({ session, more }) => `${session.agent} ${session.id}: ${more + 1}`).sort()
  }
  catalog.close()
  expect(found).toEqual(wanted)
  for (const { kind, query } of [...inNames, ...inNotes]) expect(wanted[`${kind}: ${query}`]).not.toEqual([])
  // The terms are there: in most sessions, as some agents store no thoughts or results.
  expect(texts.size).toBe(samplesCount)
  expect(Object.values(wanted).flat().length).toBeGreaterThan(terms.length * texts.size * 0.75)
})
