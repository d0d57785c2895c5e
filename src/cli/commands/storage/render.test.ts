import { expect, test } from 'vitest'
import { fakeContext } from '../../../../test/support/fake-terminal.ts'
import { madeWorld } from '../../../../test/support/storage-world.ts'
import { withDefaults } from '../../command.ts'
import { storage } from '../../definitions/machine.ts'
import { width } from '../../text.ts'
import { run } from './run.ts'

test('the report in a terminal, without control characters', async () => {
  const io = madeWorld()
  const context = fakeContext(io, { isTTY: true, columns: 80 })
  await run([], withDefaults(storage, {}), context)
  // What is free and how large a new database is differ from machine to machine.
  const text = context.out.text.replace(/\nFree disk space\n.* free of [\s\S]*$/, '')
  // The id of the third is made from the folder.
  expect(text.replace(/aider {3}[0-9a-f]{8}/, 'aider   12345678').split('\n')).toEqual([
    '3 sessions of 2 agents take 3.6 kB',
    "1 more is only in Ion's archive (ion show, ion export); 4 sessions in total.",
    "Including everything else in the agents' folders: 5.6 kB.",
    'Sessions used in the last 7 days take 264 B, in the last 30 days 3.5 kB.',
    '',
    'agent        sessions  7 days  30 days    size  folder',
    'Claude Code         2   264 B   3.5 kB  3.5 kB  5.5 kB  ███████████████░░░░░░░░░',
    'Aider               1     0 B      0 B    57 B    58 B  ▏',
    "█ sessions  ░ everything else in the agent's folders",
    '',
    'Projects',
    'project          agent   sessions    size',
    '/gone/shop       claude         1  3.3 kB  █████████████████████████████████████',
    '/gone/tool       claude         1   264 B  ███',
    '~/projects/note  aider          1    57 B  █',
    '',
    'Sessions',
    'title                        agent   id        age    size',
    'Mend the cart xxxxxxxxxxxx…  claude  aaaaaaaa   4w  3.3 kB  ████████████████████',
    'Write the parser             claude  bbbbbbbb   2d   264 B  ██',
    'hello                        aider   12345678   7w    57 B  ▏',
    '',
    'Deleted automatically by the agents',
    'Claude Code deletes a session 30 days after its file was last written',
    '(cleanupPeriodDays in ~/.claude/settings.json): 1 session (3.3 kB) within 7',
    'days, the next in 28 days',
    '',
    'days left  agent   id          size  copy  title',
    '        2  claude  aaaaaaaa  3.3 kB  yes   Mend the cart xxxxxxxxxxxxxxxxxxxxxx…',
    '',
  ])
})

test('60 columns still have the number of sessions and readable titles', async () => {
  const context = fakeContext(madeWorld(), { isTTY: true, columns: 60 })
  await run([], withDefaults(storage, {}), context)
  expect(context.out.text).toMatch(/^agent +sessions .*folder$/m)
  expect(context.out.text).toMatch(/^Mend the cart x{4,}… +claude +aaaaaaaa/m)
})

test.each([40, 50, 60, 80, 140])('no line is longer than a terminal of %i columns', async (columns) => {
  const context = fakeContext(madeWorld(), { isTTY: true, columns, colour: true })
  await run([], withDefaults(storage, {}), context)
  expect(context.out.text.split('\n').filter((line) => width(line) > columns)).toEqual([])
  expect(context.out.text).toContain('█')
})
