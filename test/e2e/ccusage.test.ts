// @module-tag deep
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { writeCorpus } from '../../bench/corpus/main.ts'
import { ccusageProgram } from '../../bench/peers.ts'
import { attempt } from '../../src/platform/error.ts'
import { builtFolder } from '../support/built.ts'
import { scratchFolder } from '../support/scratch.ts'

/** Another project's program that counts tokens; from the registry, so that it may be missing. */
const program = attempt(() => ccusageProgram(() => {}))
if (program === undefined) console.warn('ccusage cannot be installed here: the comparison with it is skipped')

type Tokens = readonly [input: number, output: number, cacheRead: number, cacheWrite: number]

/** Tokens by day and model. */
type Figures = Record<string, Tokens>

function ccusage(home: string): Figures {
  const out = execFileSync(program!, ['daily', '--offline', '--json', '--timezone', 'UTC'], {
    env: { HOME: home },
    encoding: 'utf8',
  })
  const { daily } = JSON.parse(out) as {
    daily: {
      period: string
      modelBreakdowns: {
        modelName: string
        inputTokens: number
        outputTokens: number
        cacheReadTokens: number
        cacheCreationTokens: number
      }[]
    }[]
  }
  return Object.fromEntries(
    daily.flatMap(({ period, modelBreakdowns }) =>
      modelBreakdowns.map((one): [string, Tokens] => [
        `${period} ${one.modelName}`,
        [one.inputTokens, one.outputTokens, one.cacheReadTokens, one.cacheCreationTokens],
      ]),
    ),
  )
}

function ion(home: string): Figures {
  const args = [join(builtFolder(), 'ion.cjs'), 'usage', 'daily', '--breakdown', '--json', '--timezone', 'UTC']
  const out = execFileSync(process.execPath, args, {
    env: { HOME: home, ION_HOME: join(home, '.ion') },
    encoding: 'utf8',
  })
  const rows = out
    .trimEnd()
    .split('\n')
    .map(
      (line) =>
        JSON.parse(line) as {
          kind: string
          key: string
          breakdown: { model: string; tokens: Record<string, number> }[]
        },
    )
  return Object.fromEntries(
    rows
      .filter(({ kind }) => kind === 'daily')
      .flatMap(({ key, breakdown }) =>
        breakdown.map(({ model, tokens }): [string, Tokens] => [
          `${key} ${model}`,
          [tokens.input!, tokens.output!, tokens.cache_read!, tokens.cache_write!],
        ]),
      ),
  )
}

test.skipIf(program === undefined)('on sessions without forks, every day and model has the tokens of ccusage', () => {
  const home = scratchFolder()
  writeCorpus(home, 30, 11, {})
  const figures = ion(home)
  expect(Object.keys(figures).length).toBeGreaterThan(20)
  expect(figures).toEqual(ccusage(home))
})
