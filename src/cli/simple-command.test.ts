import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fakeContext } from '../../test/support/fake-terminal.ts'
import { scratchIo } from '../../test/support/scratch.ts'
import { quickCommands } from './_quick-commands.ts'
import { commands } from './commands/index.ts'
import { buildProgram } from './program.ts'
import { parseSimple } from './simple-command.ts'

/** What the complete parser passes to the command; undefined where it reports a mistake or prints help. */
async function parsed(argv: readonly string[]): Promise<unknown> {
  let given: unknown
  const command = commands.find(({ name }) => name === (argv[0] ?? 'status'))!
  const { load } = command
  Object.assign(command, {
    load: async () => ({
      run: async (args: unknown, options: unknown) => {
        given = { args, options }
        return 'ok'
      },
    }),
  })
  try {
    await buildProgram(fakeContext(scratchIo())).run(argv)
  } catch {
    // A usage error, which is tested elsewhere.
  } finally {
    Object.assign(command, { load })
  }
  return given
}

const words = Object.values(quickCommands).flatMap(({ options }) =>
  options.flatMap(({ flags }) => flags.split(/[ ,]+/).filter((word) => word.startsWith('-'))),
)

test('what is parsed without the parser is what the parser makes of it', async () => {
  const word = fc.oneof(
    fc.constantFrom(...words, '--help', '-h', '--', '--no-all', '-aj', '--limit=3', '--js'),
    fc.constantFrom('3', '7d', 'x y', '', '-1', 'abc#e1', '-'),
  )
  const name = fc.constantFrom('sessions', 'status', 'show', 'changes', 'search')
  await fc.assert(
    fc.asyncProperty(fc.option(name, { nil: undefined }), fc.array(word, { maxLength: 5 }), async (command, rest) => {
      const argv = command === undefined ? [] : [command, ...rest]
      const simple = parseSimple(argv)
      if (simple) expect({ args: simple.args, options: simple.options }).toEqual(await parsed(argv))
    }),
    { numRuns: 500 },
  )
})

test('the usual command lines need no parser', () => {
  expect(parseSimple(['sessions', '-a', '--agent', 'x', '--agent', 'y', '--limit', '0', '--json'])?.options).toEqual({
    all: true,
    project: undefined,
    agent: ['x', 'y'],
    since: undefined,
    limit: '0',
    hidden: false,
    pinned: false,
    subAgents: false,
    tag: [],
    remote: false,
    plain: false,
    json: true,
  })
  expect(parseSimple([])?.options).toEqual({ json: false })
  expect(parseSimple(['show', 'abc', '--last', '5', '--no-pager'])).toMatchObject({
    args: ['abc'],
    options: { last: '5', pager: false, json: false, turn: undefined },
  })
  expect(parseSimple(['show', '--full', 'abc', '--last'])).toMatchObject({
    args: ['abc'],
    options: { last: true, full: true, pager: true },
  })
})
