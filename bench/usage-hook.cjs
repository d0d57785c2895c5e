// Loaded into every measured process before its program; at its end it writes what that took.
'use strict'
const { readFileSync, writeFileSync } = require('node:fs')

const file = process.env.ION_BENCH_USAGE
let spawnCpuMs
process.on('exit', () => {
  const { maxRSS } = process.resourceUsage()
  writeFileSync(file, JSON.stringify({ cpuMs: cpuMs(), spawnCpuMs, peakKb: highWater() ?? maxRSS }))
})

// What it took until it started another program.
const children = require('node:child_process')
const { spawn } = children
children.spawn = (...args) => {
  spawnCpuMs = cpuMs()
  return spawn(...args)
}

function cpuMs() {
  const { userCPUTime, systemCPUTime } = process.resourceUsage()
  return (userCPUTime + systemCPUTime) / 1000
}

/** Linux hands the peak of the parent down to its children in maxRSS; this one is the process's own. */
function highWater() {
  try {
    return Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync('/proc/self/status', 'utf8'))[1])
  } catch {
    return undefined
  }
}
