import { dirname, join } from 'node:path'
import { readSettings, type Settings } from '../../native/settings.ts'
import { configHome } from '../../platform/home.ts'
import type { Io } from '../../platform/io.ts'
import { projectOf } from '../../platform/project.ts'

/** Settings in places that are not read here. */
export function hasOtherSettings({ env }: Io): boolean {
  return Boolean(env.OPENCODE_CONFIG_CONTENT || env.OPENCODE_CONFIG_DIR)
}

/**
 * Those of each folder from here up to the project's top folder, then of the file that a variable names, then the user's: a
 * value counts where it is found first. Throws for a file that is not JSON.
 */
export function settingsOf(cwd: string, io: Io): Settings[] {
  const folders: string[] = []
  const top = projectOf(cwd)
  for (let folder = cwd; ; folder = dirname(folder)) {
    folders.push(join(folder, '.opencode'), folder)
    if (folder === top || folder === dirname(folder)) break
  }
  const named = io.env.OPENCODE_CONFIG ? [io.env.OPENCODE_CONFIG] : []
  return [...folders.flatMap(filesIn), ...named, ...filesIn(join(configHome(io), 'opencode'))].map(readSettings)
}

function filesIn(folder: string): string[] {
  return [join(folder, 'opencode.json'), join(folder, 'opencode.jsonc')]
}
