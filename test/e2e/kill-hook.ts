/**
 * Loaded before the program (`node -r`): counts what it does to files and the processes it starts, and ends it by
 * kill -9 at the operation that a variable names. A write is done by half first; everything else is not done at all.
 * Otherwise it writes down what there was. Only the command itself is counted, not the agent that it starts. With another
 * variable no rename leads from one folder to another, as over file systems; with a third one what is written into agents'
 * databases counts too, with a fourth one (ION_TEST_INDEX) what is written into the index; with a fifth one (ION_TEST_KILL_IN)
 * only that command of several processes is counted. ION_TEST_KILL_BEFORE is a part of the operation instead of its number, for
 * programs that do not do the same each time.
 */
export const killHook = `
const fs = require('node:fs')
const processes = require('node:child_process')
const { ION_TEST_KILL_IN: only } = process.env
if (!process.argv[1]?.endsWith('fake-agent.cjs') && (!only || only === process.argv[2])) {
  const last = Number(process.env.ION_TEST_KILL_AT || Infinity)
  const { ION_TEST_KILL_BEFORE: part } = process.env
  const { dirname } = require('node:path')
  const { writeSync, writeFileSync, renameSync } = fs
  const names = []
  if (process.env.ION_TEST_EXDEV) {
    fs.renameSync = (from, to) => {
      if (dirname(from) !== dirname(to)) throw Object.assign(new Error('EXDEV: cross-device link'), { code: 'EXDEV' })
      return renameSync(from, to)
    }
  }
  // Opening a file only for reading changes nothing since the previous operation.
  const isPlain = (flags) => flags === undefined || flags === 'r' || (typeof flags === 'number' && (flags & 3) === 0)
  const isReading = (name, flags) => name === 'openSync' && isPlain(flags)
  const count = (name, before) => {
    names.push(name)
    if (names.length !== last && !(part && name.includes(part))) return
    before?.()
    process.kill(process.pid, 'SIGKILL')
  }
  const watch = (module, name) => {
    const real = module[name]
    module[name] = (...args) => {
      if (isReading(name, args[1])) return real.apply(module, args)
      const isBytes = name === 'writeSync' && typeof args[1] !== 'string'
      count(name, isBytes ? () => writeSync(args[0], args[1].subarray(0, args[1].length / 2)) : undefined)
      return real.apply(module, args)
    }
  }
  const watched = ['openSync', 'writeSync', 'writeFileSync', 'fsyncSync', 'fdatasyncSync', 'ftruncateSync', 'fchmodSync',
    'futimesSync', 'chmodSync', 'utimesSync', 'renameSync', 'linkSync', 'symlinkSync', 'unlinkSync', 'rmdirSync', 'rmSync',
    'mkdirSync']
  for (const name of watched) watch(fs, name)
  watch(processes, 'spawn')
  const { ION_TEST_DATABASES: agentsDatabases, ION_TEST_INDEX: index } = process.env
  if (agentsDatabases || index) {
    const watched = (Database) =>
      class extends Database {
        constructor(path, options) {
          super(path, options)
          const isWatched = /catalog\\.\\d+\\.db$/.test(path) ? index : agentsDatabases
          Object.defineProperty(this, 'isWatched', { value: Boolean(isWatched) })
        }
        exec(sql) {
          if (this.isWatched && !/^PRAGMA/.test(sql)) count(sql)
          return super.exec(sql)
        }
        prepare(sql) {
          const statement = super.prepare(sql)
          const { run } = statement
          const counted = (...values) => {
            count(sql)
            return run.apply(statement, values)
          }
          return this.isWatched ? Object.defineProperty(statement, 'run', { value: counted }) : statement
        }
      }
    // See load() in src/platform/sqlite.ts.
    const builtIn = process.getBuiltinModule?.('node:sqlite')
    if (builtIn) {
      const DatabaseSync = watched(builtIn.DatabaseSync)
      Object.defineProperty(builtIn, 'DatabaseSync', { value: DatabaseSync, configurable: true, writable: true })
    }
    const { dlopen } = process
    process.dlopen = (module, ...rest) => {
      dlopen.call(process, module, ...rest)
      const { DatabaseSync } = module.exports
      if (DatabaseSync) module.exports = { ...module.exports, DatabaseSync: watched(DatabaseSync) }
    }
  }
  process.on('exit', () => {
    if (process.env.ION_TEST_OPERATIONS) writeFileSync(process.env.ION_TEST_OPERATIONS, JSON.stringify(names))
  })
}`

/**
 * At which of its operations a command is killed, from 1 on: at every third, the first and the last; with ION_KILLS=all
 * at each. Every one of them is several programs, and all of them take minutes.
 */
export function killPoints(operations: number): number[] {
  const all = Array.from({ length: operations }, (_, index) => index + 1)
  if (process.env.ION_KILLS === 'all') return all
  return all.filter((number) => number % 3 === 1 || number === operations)
}
