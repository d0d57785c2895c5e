import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { samples as agentSamples } from '../../../../scripts/samples/samples.ts'
import type { Step } from '../../../../scripts/samples/story.ts'
import { listAll, readAll } from '../../../../test/support/read-all.ts'
import { filesBelow, scratchFolder, scratchIo } from '../../../../test/support/scratch.ts'
import { agents } from '../../../agents/_registry.ts'
import { summarise } from '../../../agents/summarise.ts'
import { eventText } from '../../../events/text.ts'
import { readContext } from '../../../native/read-context.ts'
import type { Io } from '../../../platform/io.ts'
import { fillHome, SAMPLES_NOW, samplesFolder } from './scratch-home.ts'

const samples = samplesFolder()
const withSamples = readdirSync(samples).filter((name) => statSync(join(samples, name)).isDirectory())

/** Every agent's part of the story. */
const story = await agentSamples()

function sampleIo(): Io {
  const io = scratchIo()
  fillHome(io.home)
  return { ...io, cwd: join(io.home, 'projects', 'shop'), now: () => new Date(SAMPLES_NOW) }
}

test('every agent that can be installed has samples', () => {
  // Ion's own archive is listed among them, but nobody resumes anything in it.
  const others = agents.filter((agent) => !agent.isArchive).map((agent) => agent.id)
  expect(withSamples.sort()).toEqual(others.sort())
  expect([...story.keys()].sort()).toEqual(withSamples.sort())
})

describe.each(withSamples)('samples of %s', (id) => {
  test('list and read whole: no problem, nothing unknown, the story is there', () => {
    const io = sampleIo()
    const agent = agents.find((one) => one.id === id)!
    const { heads, problems } = listAll(agent, io)
    expect(problems).toEqual([])
    expect(heads.length).toBeGreaterThan(0)
    const reading = readContext(io)
    const texts: string[] = []
    for (const head of heads) {
      const { events, problems, items } = readAll(agent, head, io, reading)
      expect(problems).toEqual([])
      texts.push(...events.map(eventText))
      const summary = summarise(items)
      expect(head.title).toMatch(/^[A-Z]/)
      expect(head.cwd).toMatch(/\/shop$/)
      expect(head.updated_at! < SAMPLES_NOW && head.updated_at! > '2026-10-01').toBe(true)
      expect([summary.messages > 1, summary.problems, events[1]!.type]).toEqual([true, 0, expect.any(String)])
    }
    expect(reading.coverage).toMatchObject({ native: 0, bad: 0 })
    const all = folded(texts.join('\n'))
    const steps = story.get(id)!.sessions.flatMap((session) => session.steps)
    for (const text of steps.flatMap(textsOf)) expect(all).toContain(folded(text))
  })
})

/** What of a step must be found in the events. */
function textsOf(step: Step): string[] {
  if ('shell' in step) return [step.shell, step.output]
  if ('read' in step) return [step.output]
  return 'edit' in step ? step.after.split('\n') : Object.values(step)
}

/** Without differences in white space and JSON's escapes. */
function folded(text: string): string {
  return text
    .replace(/\\([nt])/g, ' ')
    .replace(/\\(["\\])/g, '$1')
    .replace(/\s+/g, ' ')
    .trim()
}

test('they are small and contain no path of this machine', () => {
  const files = filesBelow(samples)
  expect(files.reduce((sum, file) => sum + statSync(file).size, 0)).toBeLessThan(1_000_000)
  for (const file of files)
    expect(readFileSync(file, 'latin1')).not.toMatch(/(?<!\w)\/(?:root|tmp|work|Users)\/|\/home\/(?!dev\/shop)/)
})

test('a home has the files at the times of the story', () => {
  const io = sampleIo()
  for (const file of filesBelow(io.home)) {
    expect(statSync(file).mtimeMs).toBeLessThan(Date.parse(SAMPLES_NOW))
    expect(statSync(file).mtimeMs).toBeGreaterThan(Date.parse('2026-10-01'))
  }
})

test('they are found from any depth, and their absence is said', () => {
  const root = scratchFolder()
  const file = join(root, 'package', 'dist', 'cli', 'demo-abc.cjs')
  mkdirSync(join(root, 'package', 'samples'), { recursive: true })
  writeFileSync(join(root, 'package', 'samples', 'times.json'), '{}')
  expect(samplesFolder(file)).toBe(join(root, 'package', 'samples'))
  rmSync(join(root, 'package', 'samples'), { recursive: true })
  expect(() => samplesFolder(file)).toThrow('the sample sessions are missing')
})
