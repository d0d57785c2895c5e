/**
 * Loaded before the program (`node -r`): counts what it does to files and the processes it starts, and ends it by
 * kill -9 at the operation that a variable names. A write is done by half first; everything else is not done at all.
 * Otherwise it writes down how many there were. Only `ion run` itself is counted, not the agent that it starts.
 */
export const killHook = `
const fs = require('node:fs')
const processes = require('node:child_process')
if (process.argv[2] === 'run') {
  const last = Number(process.env.ION_TEST_KILL_AT || Infinity)
  let count = 0
  const names = []
  const write = fs.writeSync
  // Before a file is opened only to be read nothing has changed since the operation before.
  const isReading = (name, flags) => name === 'openSync' && (flags === undefined || flags === 'r' || (flags & 3) === 0)
  const watch = (module, name) => {
    const real = module[name]
    module[name] = (...args) => {
      if (isReading(name, args[1])) return real.apply(module, args)
      names.push(name)
      if (++count === last) {
        if (name === 'writeSync' && typeof args[1] !== 'string') write(args[0], args[1].subarray(0, args[1].length / 2))
        process.kill(process.pid, 'SIGKILL')
      }
      return real.apply(module, args)
    }
  }
  for (const name of ['openSync', 'writeSync', 'fsyncSync', 'fdatasyncSync', 'renameSync', 'linkSync', 'rmSync', 'mkdirSync'])
    watch(fs, name)
  watch(processes, 'spawn')
  const { writeFileSync } = fs
  process.on('exit', () => {
    const done = JSON.stringify(names)
    if (process.env.ION_TEST_OPERATIONS) writeFileSync(process.env.ION_TEST_OPERATIONS, done)
  })
}`
