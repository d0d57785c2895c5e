import type { SessionRow } from '../catalog/session-row.ts'

/** Whether a session belongs to the project or to one below it. */
export function isInProject(row: SessionRow, project: string): boolean {
  return row.project === project || row.project?.startsWith(project.endsWith('/') ? project : `${project}/`) === true
}
