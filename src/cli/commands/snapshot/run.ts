import { resolve } from 'node:path'
import { IonError } from '../../../platform/error.ts'
import type { ArgumentsOf, OptionsOf, Run } from '../../command.ts'
import type { snapshot } from '../../definitions/copies.ts'
import { refuseOtherOptions } from '../../subcommand-options.ts'
import { requireFile, requireParentFolder } from '../../validate.ts'
import { create } from './create.ts'
import { list, verify } from './inspect.ts'
import { restore } from './restore.ts'

export type SnapshotOptions = OptionsOf<typeof snapshot>

/** The options of each subcommand. */
const allowed: Readonly<Record<ArgumentsOf<typeof snapshot>[0], readonly (keyof SnapshotOptions)[]>> = {
  create: ['agent', 'force', 'json'],
  restore: ['agent', 'at', 'to', 'dryRun', 'json'],
  list: ['agent', 'at', 'json'],
  verify: ['at', 'json'],
}

export const run: Run<typeof snapshot> = async ([subcommand, file, ids], options, context) => {
  const odd = ids.length > 0 && subcommand !== 'restore' ? 'ids' : undefined
  refuseOtherOptions(`snapshot ${subcommand}`, options, allowed[subcommand], odd)
  if (ADDRESS.test(file)) {
    const { createInStore, withStored } = await import('./stored.ts')
    if (subcommand === 'create') return createInStore(file, options, context)
    return withStored(file, options, context, (one) => {
      if (subcommand === 'restore') return restore(one, ids, options, context)
      return subcommand === 'list' ? list(one, options, context) : verify(one, options, context)
    })
  }
  if (options.at !== undefined) {
    throw new IonError('usage', '--at chooses one of several snapshots in a store, and a file has only one', {
      hint: `ion snapshot ${subcommand} s3://bucket/prefix --at ${options.at}`,
    })
  }
  const path = resolve(context.io.cwd, file)
  if (subcommand === 'create') {
    requireParentFolder(path)
    return create({ path }, options, context)
  }
  requireFile(path)
  if (subcommand === 'restore') return restore({ path }, ids, options, context)
  return subcommand === 'list' ? list({ path }, options, context) : verify({ path }, options, context)
}

/** Not a path. Whether it is the address of a store, opening it says. */
const ADDRESS = /^[a-z][a-z0-9+.-]*:\/\//i
