// npm run bench: speed, size and memory. Nothing here passes or fails: it measures, and says by how much a goal is missed.
// Ratios to something measured in the same run, because a machine is never the same twice.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bundleInProcess } from './call-in-process.ts'
import { corporaIn } from './corpora.ts'
import { append } from './measure/append.ts'
import { archive } from './measure/archive.ts'
import { handover } from './measure/handover.ts'
import { index } from './measure/index.ts'
import { largeFile } from './measure/large-file.ts'
import { list } from './measure/list.ts'
import { replica } from './measure/replica.ts'
import { run as runAgent } from './measure/run.ts'
import { search } from './measure/search.ts'
import { serve } from './measure/serve.ts'
import { serveLarge } from './measure/serve-large.ts'
import { showLast } from './measure/show-last.ts'
import { startup } from './measure/startup.ts'
import { usage as usageReports } from './measure/usage.ts'
import { watch } from './measure/watch.ts'
import { web } from './measure/web.ts'
import { type BenchOptions, readOptions, usage } from './options.ts'
import { describeMachine, load, type Results, revision, textTable, writeResults } from './report.ts'
import type { BenchContext, Measure, Row } from './types.ts'

/** In this order: the append comes after the search, since it changes what was searched. */
const measures: Readonly<Record<string, Measure>> = {
  startup,
  run: runAgent,
  list,
  index,
  search,
  append,
  archive,
  large: largeFile,
  'show-last': showLast,
  watch,
  serve,
  'serve-large': serveLarge,
  replica,
  handover,
  usage: usageReports,
  web,
}

const options = readOptions(process.argv.slice(2), Object.keys(measures))
if (options.help) console.log(usage)
else await run(options)

async function run({ names, size, corpusFolder, program, rounds, write }: BenchOptions): Promise<void> {
  const say = (text: string): void => console.error(text)
  const folder = mkdtempSync(join(tmpdir(), 'ion-bench-'))
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  process.on('SIGINT', () => process.exit(130))
  mkdirSync(corpusFolder, { recursive: true })
  const context: BenchContext = {
    program,
    rounds,
    say,
    corpora: corporaIn(corpusFolder, size, say),
    inProcess: await bundleInProcess(),
    scratch: (name) => {
      const path = join(folder, name)
      mkdirSync(path, { recursive: true })
      return path
    },
  }
  const before = load()
  const started = performance.now()
  const rows: Row[] = []
  const failed: string[] = []
  for (const name of names) {
    const start = performance.now()
    say(`${name} …  load ${load()[0]}`)
    try {
      rows.push(...(await measures[name]!(context)))
    } catch (error) {
      // What was measured before took half an hour and is still true.
      failed.push(name)
      process.exitCode = 1
      console.error(error)
    }
    say(`${name}: ${((performance.now() - start) / 1000).toFixed(0)} s`)
  }
  const results: Results = {
    date: new Date().toISOString().slice(0, 10),
    revision: revision(),
    size,
    machine: describeMachine(),
    load: { before, after: load() },
    seconds: Math.round((performance.now() - started) / 1000),
    rows,
  }
  for (const line of textTable(rows)) console.log(line)
  if (failed.length) console.log(`not measured, since it failed: ${failed.join(', ')}`)
  console.log(`load average before ${before.join(' ')}, after ${results.load.after.join(' ')}; ${results.seconds} s`)
  if (write) {
    writeResults(results)
    console.log('written: docs/performance.md, bench/results.json')
  }
  console.log(`The corpora are kept for the next run; to delete them: rm -rf ${corpusFolder}`)
}
