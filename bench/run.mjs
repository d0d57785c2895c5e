// npm run bench: how fast, how large, how much memory. Nothing here passes or fails: it measures, and says how far a
// goal is. Ratios to something measured in the same minutes, because a machine is never the same twice.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { corporaIn } from './corpora.mjs'
import { bundleInProcess } from './in-process.mjs'
import { append } from './measure/append.mjs'
import { index } from './measure/index.mjs'
import { keep } from './measure/keep.mjs'
import { largeFile } from './measure/large-file.mjs'
import { list } from './measure/list.mjs'
import { run as runAgent } from './measure/run.mjs'
import { search } from './measure/search.mjs'
import { serve } from './measure/serve.mjs'
import { serveLarge } from './measure/serve-large.mjs'
import { startup } from './measure/startup.mjs'
import { watch } from './measure/watch.mjs'
import { readOptions, usage } from './options.mjs'
import { describeMachine, load, revision, textTable, writeResults } from './report.mjs'

/** In this order: the append comes last, it changes what was searched. */
const measures = {
  startup,
  run: runAgent,
  list,
  index,
  search,
  append,
  keep,
  large: largeFile,
  watch,
  serve,
  'serve-large': serveLarge,
}
const inOneProcess = ['list', 'search', 'append', 'keep']

const options = readOptions(process.argv.slice(2), Object.keys(measures))
if (options.help) console.log(usage)
else await run(options)

async function run({ names, size, corpusFolder, program, rounds, write }) {
  const say = (text) => console.error(text)
  const folder = mkdtempSync(join(tmpdir(), 'ion-bench-'))
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  process.on('SIGINT', () => process.exit(130))
  mkdirSync(corpusFolder, { recursive: true })
  const context = {
    program,
    rounds,
    say,
    corpora: corporaIn(corpusFolder, size, say),
    inProcess: names.some((name) => inOneProcess.includes(name)) ? await bundleInProcess() : undefined,
    scratch: (name) => {
      const path = join(folder, name)
      mkdirSync(path, { recursive: true })
      return path
    },
  }
  const before = load()
  const started = performance.now()
  const rows = []
  for (const name of names) {
    const start = performance.now()
    say(`${name} …  load ${load()[0]}`)
    rows.push(...(await measures[name](context)))
    say(`${name}: ${((performance.now() - start) / 1000).toFixed(0)} s`)
  }
  const results = {
    date: new Date().toISOString().slice(0, 10),
    revision: revision(),
    size,
    machine: describeMachine(),
    load: { before, after: load() },
    seconds: Math.round((performance.now() - started) / 1000),
    rows,
  }
  for (const line of textTable(rows)) console.log(line)
  console.log(`load average before ${before.join(' ')}, after ${results.load.after.join(' ')}; ${results.seconds} s`)
  if (write) {
    writeResults(results)
    console.log('written: docs/performance.md, bench/results.json')
  }
  console.log(`The corpora stay for the next time; to delete them: rm -rf ${corpusFolder}`)
}
