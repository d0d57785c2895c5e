import { stampOf } from './walk.ts'

interface Known {
  readonly mtimeMs: number
  readonly children: ReadonlyMap<string, readonly string[]>
}

const known = new Map<string, Known>()

/**
 * The children of each session in a folder whose files name their parent. That takes a look at every file, so it is done
 * once for each state of the folder and not for each session.
 */
export function childrenIn(
  folder: string,
  links: () => Iterable<{ readonly child: string; readonly parent: string }>,
): ReadonlyMap<string, readonly string[]> {
  const mtimeMs = stampOf(folder)?.mtimeMs ?? 0
  const before = known.get(folder)
  if (before?.mtimeMs === mtimeMs) return before.children
  const children = new Map<string, string[]>()
  for (const { child, parent } of links()) children.set(parent, [...(children.get(parent) ?? []), child])
  known.set(folder, { mtimeMs, children })
  return children
}

/** The session and all its descendants, each once. */
export function sessionTree(session: string, children: ReadonlyMap<string, readonly string[]>): string[] {
  const tree = new Set([session])
  // A Set's iterator also visits what is added meanwhile.
  for (const member of tree) for (const child of children.get(member) ?? []) tree.add(child)
  return [...tree]
}
