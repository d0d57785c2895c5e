import fc from 'fast-check'
import { expect, test } from 'vitest'
import { conversation } from '../../test/support/conversations.ts'
import type { AssistantMessage, Message } from '../agents/write.ts'
import { fitBudget, noteShortenedByAgent, tokensOf, withoutMiddle } from './budget.ts'
import { Losses } from './report.ts'

const timestamp = '2026-11-14T09:00:00.000Z'

function prompt(id: string, text = id): Message {
  return { role: 'user', id, timestamp, content: [{ type: 'text', text }] }
}

function call(id: string, output: string): AssistantMessage {
  const content = [{ type: 'call' as const, id, name: 'Bash', input: {}, output, isError: false, timestamp }]
  return { role: 'assistant', id, timestamp, model: null, content }
}

function outputsOf(messages: readonly Message[]): number[] {
  return messages.flatMap(({ content }) =>
    content.flatMap((block) => (block.type === 'call' ? [block.output.length] : [])),
  )
}

test('what fits stays as it is', () => {
  const messages = [prompt('a'), call('b', 'x'.repeat(100_000))]
  expect(fitBudget(messages, 100_000, new Losses()).messages).toBe(messages)
})

test('first outputs of tools lose their middle, the longest only', () => {
  const messages = [prompt('a'), call('b', 'x'.repeat(100_000)), call('c', 'short')]
  const losses = new Losses()
  const fitted = fitBudget(messages, 10_000, losses)
  expect(fitted.tokens).toBeLessThanOrEqual(10_000)
  expect(outputsOf(fitted.messages)).toEqual([32_032, 5])
  expect(losses.list).toEqual([{ outcome: 'shortened', what: 'result', count: 1, reason: 'to fit the budget' }])
})

test('results that the agent itself shortens are reported, each once', () => {
  const agent = { title: 'Codex', sendsUpTo: 12_000 }
  const messages = [
    prompt('a'),
    call('b', 'x'.repeat(100_000)),
    call('c', '€'.repeat(4001)),
    call('d', '€'.repeat(4000)),
  ]
  const reason = 'stored completely, but Codex sends its model only the beginning and the end of results over 12 KB'
  const reported = (budget: number) => {
    const losses = new Losses()
    noteShortenedByAgent(fitBudget(messages, budget, losses), agent, losses)
    return losses.list.map(({ reason, count }) => [reason, count])
  }
  expect(reported(1_000_000)).toEqual([[reason, 2]])
  expect(reported(20_000)).toEqual([
    ['to fit the budget', 1],
    [reason, 1],
  ])
  // Short enough for the agent by then.
  expect(reported(5000)).toEqual([['to fit the budget', 3]])
})

test('then the oldest turns after the first prompt go, and the model is told so in an answer', () => {
  const long = 'word '.repeat(400)
  const messages = [
    prompt('first'),
    ...['b', 'c', 'd'].flatMap((id) => [prompt(id, long), call(`${id}1`, 'ok')]),
    prompt('last'),
  ]
  const losses = new Losses()
  const { messages: kept, dropped } = fitBudget(messages, 700, losses)
  expect(kept.map(({ id }) => id)).toEqual(['first', 'b-left-out', 'd', 'd1', 'last'])
  expect(kept[1]).toMatchObject({
    role: 'assistant',
    content: [{ text: expect.stringContaining('4 earlier messages') }],
  })
  expect(dropped).toBe(4)
})

test('of one turn that is too long by itself, the prompt and the newest answers stay', () => {
  const messages = [prompt('only'), ...Array.from({ length: 50 }, (_, n) => call(`c${n}`, 'y'.repeat(1000)))]
  const { messages: kept, tokens } = fitBudget(messages, 3000, new Losses())
  expect(tokens).toBeLessThanOrEqual(3000)
  expect([kept[0]!.id, kept.at(-1)!.id]).toEqual(['only', 'c49'])
})

test('a text without its middle has whole characters only', () => {
  const cut = withoutMiddle('🙂'.repeat(1000), 101)
  expect(cut).toMatch(/^(🙂)+\n\[… \d+ characters left out …\]\n(🙂)+$/u)
})

test('whatever the budget is, the first prompt and the last message stay, in order', () => {
  fc.assert(
    fc.property(
      conversation({ images: true, calls: 'kept' }),
      fc.integer({ min: 1, max: 3000 }),
      (messages, budget) => {
        const fitted = fitBudget(messages, budget, new Losses())
        const ids = fitted.messages.map(({ id }) => id).filter((id) => !id.endsWith('-left-out'))
        expect(ids[0]).toBe(messages[0]!.id)
        expect(ids.at(-1)).toBe(messages.at(-1)!.id)
        expect(messages.map(({ id }) => id).filter((id) => ids.includes(id))).toEqual(ids)
        expect(messages.length - ids.length).toBe(fitted.dropped)
        if (tokensOf(messages) <= budget) expect(fitted.messages).toBe(messages)
      },
    ),
  )
})
