import { expect, test } from 'vitest'
import type { Entry } from '../model/log.ts'
import { createLog } from '../model/log.ts'
import { Checks } from './checks.ts'

/** A log in which the model refuses requests by this rule. */
function refusing(rule: string) {
  const log = createLog()
  const rejected = { rule, place: 'messages.1', message: 'messages.1: no' }
  return { log, refuse: () => log.add({ n: log.entries.length + 1, protocol: 'chat', rejected } as Entry) }
}

const why = (n: number, rule: string) =>
  `the model refused request ${n} (chat), rule "${rule}", at messages.1: messages.1: no`

/** Without the times. */
const outcomes = ({ results }: Checks) =>
  Object.fromEntries(Object.entries(results).map(([scenario, { seconds, ...outcome }]) => [scenario, outcome]))

test('a scenario in which the model refused a request has failed', async () => {
  const { log, refuse } = refusing('pairs')
  const checks = new Checks()
  checks.watch(log)
  await checks.that('fine', () => {})
  await checks.that('refused', refuse)
  await checks.that('fine again', () => {})
  await checks.that('refused, and wrong', () => {
    refuse()
    throw new Error('exit code: 1')
  })
  expect(outcomes(checks)).toEqual({
    fine: { ok: true },
    refused: { ok: false, why: why(1, 'pairs') },
    'fine again': { ok: true },
    'refused, and wrong': { ok: false, why: `${why(2, 'pairs')}\nexit code: 1` },
  })
  expect(checks.unreported()).toEqual([])
})

test('a scenario may expect it, and then it must happen', async () => {
  const { log, refuse } = refusing('pairs')
  const checks = new Checks()
  checks.watch(log)
  await checks.that('expected', refuse, { rejects: ['pairs'] })
  await checks.that('expected in vain', () => {}, { rejects: ['pairs'] })
  await checks.that('another one', refuse, { rejects: ['roles'] })
  expect(outcomes(checks)).toEqual({
    expected: { ok: true },
    'expected in vain': { ok: false, why: 'nothing broke the rule "pairs"' },
    'another one': { ok: false, why: `${why(2, 'pairs')}\nnothing broke the rule "roles"` },
  })
})

test('what is refused between scenarios is not forgotten', async () => {
  const [one, two] = [refusing('pairs'), refusing('roles')]
  const checks = new Checks()
  checks.watch(one.log)
  checks.watch(two.log)
  await checks.that('refused', one.refuse)
  two.refuse()
  expect(checks.unreported()).toEqual([why(1, 'roles')])
})
