import { readdirSync, readFileSync } from 'node:fs'

export type Process = { pid: number; parent: number; command: string }

/** The living processes that have this text in their environment. Linux only. */
export function processesWith(text: string): Process[] {
  return processes().filter(({ pid }) => environmentOf(pid).includes(text))
}

/** A process and all below it. */
export function familyOf(root: number): Process[] {
  const all = processes()
  const family = all.filter(({ pid }) => pid === root)
  for (const member of family) family.push(...all.filter(({ parent }) => parent === member.pid))
  return family
}

/**
 * Ends them at once, as the end of a machine does. All are stopped first, and then killed, the newest first: otherwise an
 * agent still writes what it writes when its terminal is closed.
 */
export function killAll(list: Process[]) {
  for (const { pid } of list) signal(pid, 'SIGSTOP')
  for (const { pid } of list.toSorted((a, b) => b.pid - a.pid)) signal(pid, 'SIGKILL')
}

function signal(pid: number, name: NodeJS.Signals) {
  try {
    process.kill(pid, name)
  } catch {
    // Gone already.
  }
}

function processes(): Process[] {
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

function environmentOf(pid: number) {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8')
  } catch {
    return ''
  }
}
