import { join } from 'node:path'
import { isModuleName, moduleBase } from '../../../modules/places.ts'
import { privateFolder } from '../../../platform/atomic-file.ts'
import { type ExitKind, IonError } from '../../../platform/error.ts'
import type { Io } from '../../../platform/io.ts'
import type { Context, Options } from '../../command.ts'

export function printPath(names: readonly string[], options: Options, { io, out }: Context): ExitKind {
  if (names.length === 0) throw new IonError('usage', 'which module?', { hint: 'ion modules path coder/ion' })
  if (names.length > 1 || options.json) {
    throw new IonError('usage', 'path takes one name and prints a path', { hint: 'ion modules path coder/ion' })
  }
  const folder = modulePath(names[0]!, io)
  privateFolder(folder)
  out.write(`${folder}\n`)
  return 'ok'
}

function modulePath(name: string, io: Io): string {
  if (!isModuleName(name)) {
    throw new IonError('usage', `"${name}" cannot be the name of a module`, { hint: 'such as ion, or coder/ion' })
  }
  return join(moduleBase(io), ...name.split('/'))
}
