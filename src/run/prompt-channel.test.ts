import { describe, expect, test } from 'vitest'
import { scratchIo } from '../../test/support/scratch.ts'
import { agents } from '../agents/_registry.ts'
import { promptChannel } from './prompt-channel.ts'

describe.each(agents.filter(({ start }) => start).map((agent) => [agent.id, agent] as const))('%s', (_id, agent) => {
  test('without a terminal the prompt is not in the process list', () => {
    expect(['stdin', 'file']).toContain(promptChannel(agent, 'headless', scratchIo()))
  })
})

test('an argument counts, also if only a later prompt is one', () => {
  const agent = agents.find((one) => one.start)!
  const command = (word: string) => () => ({ args: [word] })
  const visible = {
    ...agent,
    start: {
      ...agent.start!,
      cold: command('x'),
      warm: (r: never) => ({ args: [`--p=${(r as { prompt: { argument: string } }).prompt.argument}`] }),
    },
  }
  expect(promptChannel(visible, 'terminal', scratchIo())).toBe('argument')
  expect(promptChannel({ ...agent, start: undefined } as never, 'terminal', scratchIo())).toBeUndefined()
})
