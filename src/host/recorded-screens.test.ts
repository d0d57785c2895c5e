import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { agents } from '../agents/_registry.ts'
import type { ScreenAnswer, ScreenRow } from '../agents/screen.ts'
import { readScreen, type ScreenReading } from './activity.ts'

/** What `npm run record-screens` wrote. */
interface RecordedScreen {
  readonly rows: readonly string[]
  readonly vivid: Readonly<Record<string, string>>
  readonly colours?: Readonly<Record<string, string>>
  readonly backgrounds?: Readonly<Record<string, string>>
  readonly highlighted?: Readonly<Record<string, string>>
}

interface ExpectedScreen extends ScreenReading {
  /** What the agent says there; missing when it says nothing that could be read. */
  readonly answer?: ScreenAnswer
}

// A person looked at the recorded screens and wrote into expected.json what they show.
const folders = agents.map(({ id, start }) => ({
  id,
  start,
  folder: fileURLToPath(new URL(`../agents/${id}/test/screens/`, import.meta.url)),
}))

describe.each(folders.filter(({ start }) => start?.readInput))('the screens of $id', ({ start, folder }) => {
  const load = <T>(name: string): T => JSON.parse(readFileSync(`${folder}${name}`, 'utf8')) as T
  const expected = load<Record<string, ExpectedScreen>>('expected.json')

  test('every recorded screen is looked at', () => {
    const recorded = readdirSync(folder).filter((name) => name !== 'expected.json')
    expect(recorded.map((name) => name.replace('.json', '')).sort()).toEqual(Object.keys(expected).sort())
  })

  test.each(Object.entries(expected))('%s', (name, { answer, ...reading }) => {
    const { rows, vivid, colours = {}, backgrounds = {}, highlighted = {} } = load<RecordedScreen>(`${name}.json`)
    const shown: ScreenRow[] = rows.map((text, index) => ({
      text,
      vivid: vivid[index] ?? text,
      ...(colours[index] === undefined ? {} : { colour: colours[index] }),
      ...(backgrounds[index] === undefined ? {} : { background: backgrounds[index] }),
      ...(highlighted[index] === undefined ? {} : { highlighted: highlighted[index] }),
    }))
    expect(readScreen(shown, start!)).toEqual(reading)
    expect(start!.readAnswer?.(shown)).toEqual(answer)
  })
})
