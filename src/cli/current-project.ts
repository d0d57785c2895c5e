import { dirname } from 'node:path'
import type { Io } from '../platform/io.ts'
import { projectOf } from '../platform/project.ts'

/** Null in the home folder and the root, which contain everything. */
export function currentProject(io: Io): string | null {
  const project = projectOf(io.cwd)
  return project === io.home || dirname(project) === project ? null : project
}
