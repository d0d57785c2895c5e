// Loaded into every measured process before its program; at its end it writes what that took.
'use strict'
const { readFileSync, writeFileSync } = require('node:fs')

const file = process.env.ION_BENCH_USAGE
process.on('exit', () => {
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage()
  writeFileSync(file, JSON.stringify({ cpuMs: (userCPUTime + systemCPUTime) / 1000, peakKb: highWater() ?? maxRSS }))
})

/** Linux hands the peak of the parent down to its children in maxRSS; this one is the process's own. */
function highWater() {
  try {
    return Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync('/proc/self/status', 'utf8'))[1])
  } catch {
    return undefined
  }
}
