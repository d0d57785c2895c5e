import { resolve } from 'node:path'
import { type ExitKind, IonError } from '../../../platform/error.ts'
import type { Context, Options } from '../../command.ts'
import { requireFile, requireParentFolder } from '../../require-path.ts'
import { create } from './create.ts'
import { list, verify } from './inspect.ts'
import { restore } from './restore.ts'

/** Which options belong to which of them. */
const known: Readonly<Record<string, readonly string[]>> = {
  create: ['agent', 'force', 'json'],
  restore: ['agent', 'to', 'dryRun', 'json'],
  list: ['agent', 'json'],
  verify: ['json'],
}

export async function run(args: readonly unknown[], options: Options, context: Context): Promise<ExitKind> {
  const [what, file, ids = []] = args as [string, string, (readonly string[])?]
  const own = known[what]
  if (!own) {
    throw new IonError('usage', `"${what}" is nothing that ion snapshot does`, {
      hint: `one of: ${Object.keys(known).join(', ')}`,
    })
  }
  const odd = Object.keys(options).find((name) => options[name] !== undefined && !own.includes(name))
  if (odd !== undefined || (ids.length > 0 && what !== 'restore')) {
    const which = odd === undefined ? 'ids' : `--${odd.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
    throw new IonError('usage', `"ion snapshot ${what}" takes no ${which}`, { hint: 'ion snapshot --help' })
  }
  const path = resolve(context.io.cwd, file)
  if (what === 'create') {
    requireParentFolder(path)
    return create(path, options, context)
  }
  requireFile(path)
  if (what === 'restore') return restore(path, ids, options, context)
  return what === 'list' ? list(path, options, context) : verify(path, options, context)
}
