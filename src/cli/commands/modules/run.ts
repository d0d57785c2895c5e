import { join } from 'node:path'
import { privateFolder } from '../../../platform/durable.ts'
import { type ExitKind, IonError, messageOf } from '../../../platform/error.ts'
import type { Io } from '../../../platform/io.ts'
import type { Context, Options } from '../../command.ts'

export async function run(args: readonly unknown[], _options: Options, { io, out }: Context): Promise<ExitKind> {
  const [what, name] = args as [string, string?]
  if (what !== 'path')
    throw new IonError('usage', `"ion modules ${what}" is not a thing`, { hint: 'ion modules path <name>' })
  const folder = modulePath(name ?? '', io)
  try {
    privateFolder(folder)
  } catch (error) {
    throw new IonError('failed', `cannot make ${folder}: ${messageOf(error)}`, {
      cause: error,
      hint: 'allow writing there',
    })
  }
  out.write(`${folder}\n`)
  return 'ok'
}

/** As the registry names modules: lowercase letters, digits and dashes. */
const PART = /^[a-z0-9](?:[a-z0-9_.-]{0,62}[a-z0-9])?$/

export function modulePath(name: string, io: Io): string {
  const parts = name.split('/')
  if (parts.length > 2 || !parts.every((part) => PART.test(part) && !part.includes('..'))) {
    throw new IonError('usage', `"${name}" cannot be the name of a module`, { hint: 'such as ion, or coder/ion' })
  }
  return join(io.env.CODER_MODULE_DATA_DIR || join(io.home, '.coder-modules'), ...parts)
}
