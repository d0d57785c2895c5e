import { join } from 'node:path'
import { tasksFolder } from './home.ts'
import type { Io } from './io.ts'
import { tryListNames } from './list-dir.ts'
import { projectHash } from './project-hash.ts'

export function taskFolder(agent: string, project: string, name: string, io: Io): string {
  return join(tasksFolder(io), projectHash(project), `${agent}-${name}`)
}

/** Whether a folder of that name belongs to a task of the agent. */
export function isTaskFolderOf(agent: string, folderName: string): boolean {
  return folderName.startsWith(`${agent}-`)
}

/** Where the agent of a task keeps files that only it needs. */
export function agentFolder(taskFolder: string): string {
  return join(taskFolder, 'agent')
}

/** The folders of all tasks, as far as they can be read. */
export function* taskFolders(io: Io): Generator<string> {
  const root = tasksFolder(io)
  for (const project of tryListNames(root)) {
    for (const name of tryListNames(join(root, project))) yield join(root, project, name)
  }
}
