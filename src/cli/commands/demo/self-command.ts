import { basename, relative } from 'node:path'
import { agents } from '../../../agents/_registry.ts'
import type { Io } from '../../../platform/io.ts'

/** How this program is called again from `folder`: by its name where it is installed, else as it was called. */
export function callAgain(folder: string, script: string = process.argv[1] ?? ''): string {
  if (basename(script) !== 'ion.cjs') return 'ion'
  const near = relative(folder, script)
  return `node ${near.startsWith('..') ? script : near}`
}

/** Which variables of the user lead an agent's data, or Ion's own, out of another home. */
export function leadingOut(io: Io): string[] {
  const names = agents.flatMap((agent) => agent.paths(io).flatMap(({ env }) => env))
  return [...new Set([...names, 'XDG_CONFIG_HOME'])].filter((name) => io.env[name] && name !== 'ION_HOME').sort()
}
