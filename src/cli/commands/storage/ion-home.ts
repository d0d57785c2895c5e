import { join } from 'node:path'
import { INDEX_FILE } from '../../../catalog/connection.ts'
import { CATALOG_VERSION } from '../../../catalog/schema.ts'
import { ionHome } from '../../../platform/home.ts'
import type { Io } from '../../../platform/io.ts'
import { tryListNames } from '../../../platform/list-dir.ts'
import type { IonLine } from './lines.ts'
import { measure } from './measure.ts'

type Part = IonLine['part']

/** What stands at the top of Ion's home, and which part it is of. */
const parts: readonly { readonly part: Part; readonly main: string; readonly names: RegExp }[] = [
  { part: 'sessions', main: 'sessions', names: /^(sessions|index\.jsonl)$/ },
  { part: 'vault', main: 'vault', names: /^vault$/ },
  { part: 'tasks', main: 'tasks', names: /^tasks$/ },
  { part: 'catalog', main: `catalog.${CATALOG_VERSION}.db`, names: INDEX_FILE },
]

/** Ion's own home in parts: always all of them, those that are not there with nothing in them. */
export function ionLines(io: Io, onFile: (files: number) => void): IonLine[] {
  const home = ionHome(io)
  const names = tryListNames(home)
  const line = (part: Part, path: string, own: readonly string[]): IonLine => ({
    kind: 'ion',
    part,
    path,
    ...measure(
      own.map((name) => join(home, name)),
      [],
      io,
      onFile,
    ),
  })
  const rest = names.filter((name) => !parts.some((part) => part.names.test(name)))
  return [
    ...parts.map(({ part, main, names: pattern }) =>
      line(
        part,
        join(home, main),
        names.filter((name) => pattern.test(name)),
      ),
    ),
    line('other', home, rest),
  ]
}
