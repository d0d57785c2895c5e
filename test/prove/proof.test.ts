import { expect, test } from 'vitest'
import { compatibilityPage } from './compatibility-page.ts'
import { compareProof, levelOf, mergeProof, type Outcome, type Proof, type ProvenAgent, proofOf } from './proof.ts'

const core = {
  'cold, headless, with a tool call': { ok: true },
  'five starts send the prompt once': { ok: true },
  'warm, headless, with a next prompt': { ok: true },
}
const gap = { 'kill -9 of Ion, then warm': { ok: false, why: 'it slept' } }

test.each([
  ['full', core],
  [
    'full',
    { ...core, 'under agentapi: state file written, chat there after a restart': { ok: false, why: 'its screen' } },
  ],
  ['partial', { ...core, ...gap }],
  ['unproven', { ...core, 'five starts send the prompt once': { ok: false, why: 'twice' } }],
  ['unproven', gap],
  ['unproven', {}],
])('the level is %s', (level, scenarios) => {
  expect(levelOf(scenarios)).toBe(level)
})

const proven = (agent: string, version: string, scenarios: Record<string, Outcome>): ProvenAgent => ({
  agent,
  version,
  level: levelOf(scenarios),
  storage: { paths: ['~/.robot'], bytes: 1e6 },
  date: '2026-11-16',
  scenarios,
})
const proof = (...agents: ProvenAgent[]): Proof => ({
  isolated: true,
  agents,
  unavailable: [{ agent: 'cursor', why: 'in no registry' }],
})

test('a run becomes a proof without a path of the machine', () => {
  const subjects = [{ name: 'robot-old', agent: 'robot', version: '1.0', program: '/x' }]
  const why = 'exit code (ion: cannot open /tmp/ion-proof-aB3/robot/home/x): 1 instead of 0\nmore'
  const results = {
    'robot-old 1.0': { results: { kill: { ok: false, why, seconds: 3 } }, storage: { paths: ['~/.robot'], bytes: 7 } },
  }
  const { agents, ...rest } = proofOf({ subjects, unavailable: { cursor: 'none' }, results, isolated: true })
  expect(rest).toEqual({ isolated: true, unavailable: [{ agent: 'cursor', why: 'none' }] })
  expect(agents).toEqual([
    {
      agent: 'robot',
      version: '1.0',
      level: 'unproven',
      storage: { paths: ['~/.robot'], bytes: 7 },
      date: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
      scenarios: { kill: { ok: false, why: 'exit code (ion: cannot open …/robot/home/x): 1 instead of 0' } },
    },
  ])
})

test('newer results of a version replace older ones; others stay', () => {
  const merged = mergeProof(
    proof(proven('a', '1.9', core), proven('b', '1.0', core)),
    proof(proven('a', '1.9', gap), proven('a', '1.10', core)),
  )
  expect(merged.agents.map(({ agent, version, level }) => `${agent} ${version} ${level}`)).toEqual([
    'a 1.10 full',
    'a 1.9 unproven',
    'b 1.0 full',
  ])
})

test('what was proven with a given program stays when nobody gives one, and the page says so', () => {
  const given: ProvenAgent = { ...proven('robot', '1.0', core), given: true }
  const none: Proof = { isolated: true, agents: [], unavailable: [{ agent: 'robot', why: 'in no registry' }] }
  expect(mergeProof({ ...none, agents: [given] }, none)).toEqual({ isolated: true, agents: [given], unavailable: [] })
  expect(mergeProof({ ...none, agents: [proven('robot', '1.0', core)] }, none).unavailable).toEqual(none.unavailable)
  expect(compatibilityPage(proof(given))).toContain('| robot | 1.0 (given) | full | 3 of 3 |')
})

test('what a scenario notes is in the proof and on the page, and is not compared', () => {
  const subjects = [{ name: 'robot', agent: 'robot', version: '1.0', program: '/x' }]
  const resultsWith = (note: string) => ({
    'robot 1.0': {
      results: {
        gone: { ok: true, note, seconds: 3 },
        lost: { ok: false, why: 'it slept', note, seconds: 3 },
      },
      storage: undefined,
    },
  })
  const noted = proofOf({ subjects, unavailable: {}, results: resultsWith('S3'), isolated: true })
  expect(noted.agents[0]?.scenarios).toEqual({
    gone: { ok: true, note: 'S3' },
    lost: { ok: false, why: 'it slept', note: 'S3' },
  })
  const page = compatibilityPage(noted)
  expect(page).toContain('| gone | yes, S3 |')
  expect(page).toContain('| lost | **no**, S3 |')
  const now = proofOf({ subjects, unavailable: {}, results: resultsWith('folder'), isolated: true })
  expect(compareProof(noted, now)).toEqual([])
})

test('single stories leave the results of the others', () => {
  const [one] = mergeProof(
    proof(proven('a', '1.0', { ...core, ...gap })),
    proof({ ...proven('a', '1.0', {}), storage: undefined, scenarios: { 'kill -9 of Ion, then warm': { ok: true } } }),
    true,
  ).agents
  expect(one).toEqual(proven('a', '1.0', { ...core, 'kill -9 of Ion, then warm': { ok: true } }))
})

test('only outcomes are compared', () => {
  const recorded = proof(proven('a', '1.0', { ...core, ...gap }))
  const same = { ...proven('a', '1.0', { ...core, ...gap }), storage: undefined, date: 'later' }
  expect(compareProof(recorded, proof(same))).toEqual([])
  const lost = { ...core, ...gap, 'five starts send the prompt once': { ok: false, why: 'sent twice' } }
  const won = { ...core, 'kill -9 of Ion, then warm': { ok: true } }
  expect(compareProof(recorded, proof(proven('a', '1.0', lost), proven('b', '2.0', core)))).toEqual([
    'a 1.0: five starts send the prompt once: sent twice',
    'b 2.0 is not in it',
  ])
  expect(compareProof(recorded, proof(proven('a', '1.0', won)))).toEqual([
    'a 1.0: kill -9 of Ion, then warm: holds now',
  ])
  const screen = { ...core, 'under agentapi: state file written, chat there after a restart': { ok: false, why: 'x' } }
  expect(compareProof(recorded, proof(proven('a', '1.0', screen)))).toEqual([])
  expect(compareProof(undefined, proof(same))).toEqual(['a 1.0 is not in it'])
})

test('the page names what does not hold', () => {
  const page = compatibilityPage(proof(proven('a', '1.0', { ...core, ...gap })))
  expect(page).toContain('| a | 1.0 | partial | 3 of 4 | `~/.robot` | 1000 KB | 2026-11-16 |')
  expect(page).toContain('| kill -9 of Ion, then warm | **no** |')
  expect(page).toContain('- a 1.0, kill -9 of Ion, then warm: it slept')
  expect(page).toContain('- cursor: in no registry')
})
