import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { agents } from '../../src/agents/_registry.ts'
import { brokenWalls, namesOf } from './import-walls.ts'
import { sourceFiles } from './source-findings.ts'

const src = fileURLToPath(new URL('../../src', import.meta.url))
const names = namesOf(agents)

test('no folder imports what it may not', () => {
  const files = sourceFiles(src)
  expect(files.length).toBeGreaterThan(200)
  expect(brokenWalls(files, names)).toEqual([])
})

describe('violations are found', () => {
  const two = [
    { id: 'one', names: ['one', 'Agent One'] },
    { id: 'two', names: ['two'] },
  ]

  test.each([
    [
      'a back edge',
      'events/x.ts',
      "import { a } from '../cli/text.ts'",
      '1 imports cli/text.ts: events may not import cli',
    ],
    [
      'of types too',
      'native/x.ts',
      "import type { A } from '../agents/agent.ts'",
      '1 imports agents/agent.ts: native may not import agents',
    ],
    [
      'more than types',
      'web/x.ts',
      "import { a } from '../server/contract.ts'",
      '1 imports server/contract.ts: web may import types only from server',
    ],
    [
      'in a type',
      'events/x.ts',
      "let a: import('../native/walk.ts').A",
      '1 imports native/walk.ts: events may not import native',
    ],
    [
      'of what is exported again',
      'events/x.ts',
      "\nexport * from '../cli/text.ts'",
      '2 imports cli/text.ts: events may not import cli',
    ],
    [
      'at run time',
      'agents/x.ts',
      "const a = await import('../catalog/open.ts')",
      '1 imports catalog/open.ts: agents may not import catalog',
    ],
    [
      'a folder that is not in the table',
      'other/x.ts',
      "import '../events/id.ts'",
      '1 imports events/id.ts: other may not import events',
    ],
    [
      'outside src',
      'cli/x.ts',
      "import '../../scripts/build.ts'",
      '1 imports ../../scripts/build.ts, which is outside src/',
    ],
    [
      'one agent in another',
      'agents/one/x.ts',
      "import { a } from '../two/read.ts'",
      '1 imports agents/two/read.ts: what two agents share belongs in src/agents/_shared/ or src/native/',
    ],
    [
      'an agent in what agents share',
      'agents/find.ts',
      "import { a } from './two/read.ts'",
      '1 imports agents/two/read.ts: what two agents share belongs in src/agents/_shared/ or src/native/',
    ],
    [
      'an agent by its name',
      'cli/x.ts',
      "const a = b === 'Agent One'",
      '1 names the agent "Agent One" outside src/agents/one/',
    ],
    ['an agent by its id', 'agents/one/x.ts', 'const a = `two`', '1 names the agent "two" outside src/agents/two/'],
    ['printing', 'catalog/x.ts', 'console.log(1)', '1 uses console.log: only src/cli/ prints'],
    [
      'writing to the terminal',
      'catalog/x.ts',
      'process.stderr.write("x")',
      '1 uses process.stderr: only src/cli/ prints',
    ],
    [
      'a definition with code',
      'cli/definitions/x.ts',
      "import { a } from '../text.ts'",
      '1 imports ../text.ts: a definition imports types only, since all of them are loaded at every start',
    ],
    [
      'a definition with a package',
      'cli/definitions/x.ts',
      "import { z } from 'zod'",
      '1 imports zod: a definition imports types only, since all of them are loaded at every start',
    ],
  ])('%s', (_what, path, text, expected) => {
    expect(brokenWalls([{ path, text }], two)).toEqual([`src/${path}:${expected}`])
  })

  test('a test helper in the program', () => {
    const files = [
      { path: 'agents/one/test/help.ts', text: "import { scratchIo } from '../../../../test/support/scratch.ts'" },
      { path: 'agents/one/test/more-help.ts', text: "import './help.ts'; import { a } from '../read.ts'" },
      { path: 'agents/one/read.ts', text: "import { help } from './test/help.ts'" },
    ]
    expect(brokenWalls(files, two)).toEqual([
      'src/agents/one/read.ts:1 imports agents/one/test/help.ts, which is for tests',
    ])
  })

  test.each([
    ['web/x.ts', "export type { A } from '../server/contract.ts'; import type { B } from '../server/contract.ts'"],
    ['cli/x.ts', "import { a } from '../events/id.ts'; console.log('one or two', process.env.one)"],
    ['agents/one/x.ts', "import { a } from './read.ts'; import { b } from '../agent.ts'; const c = 'one'"],
    ['agents/_registry.ts', "import one from './one/index.ts'"],
    ['agents/_loaders.ts', "const loaders = new Map([['one', () => import('./one/index.ts')]])"],
    ['cli/definitions/x.ts', "import type { CommandDefinition } from '../command.ts'"],
    ['agents/one/test/x.ts', "import { a } from '../../../../test/support/scratch.ts'; const b = 'two'"],
  ])('%s may', (path, text) => {
    expect(brokenWalls([{ path, text }], two)).toEqual([])
  })
})
