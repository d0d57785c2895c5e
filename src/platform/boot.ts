import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

let known: string | undefined

/** A text that is another after each boot of the machine; empty where the system does not tell. */
export function bootId(): string {
  known ??= fromSystem()
  return known
}

function fromSystem(): string {
  try {
    if (process.platform === 'linux') return readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim()
    if (process.platform !== 'darwin') return ''
    const said = execFileSync('/usr/sbin/sysctl', ['-n', 'kern.bootsessionuuid'], { encoding: 'utf8', timeout: 1000 })
    return said.trim()
  } catch {
    return ''
  }
}
