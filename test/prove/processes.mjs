import { readdirSync, readFileSync } from 'node:fs'

/** @typedef {{ pid: number, parent: number, command: string }} Process */

/** The living processes that have this text in their environment. Linux only. @param {string} text @returns {Process[]} */
export function processesWith(text) {
  return processes().filter(({ pid }) => environmentOf(pid).includes(text))
}

/** A process and all below it. @param {number} root @returns {Process[]} */
export function familyOf(root) {
  const all = processes()
  const family = all.filter(({ pid }) => pid === root)
  for (const member of family) family.push(...all.filter(({ parent }) => parent === member.pid))
  return family
}

/** Ends them at once, as the end of a machine does. @param {Process[]} list */
export function killAll(list) {
  for (const { pid } of list) {
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // Gone already.
    }
  }
}

/** @returns {Process[]} */
function processes() {
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return []
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'latin1')
      const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
      if (state === 'Z' || state === 'X') return []
      const command = readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ').trim()
      return [{ pid: Number(name), parent: Number(parent), command }]
    } catch {
      return []
    }
  })
}

/** @param {number} pid */
function environmentOf(pid) {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8')
  } catch {
    return ''
  }
}
