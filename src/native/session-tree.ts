import { stampOf } from './walk.ts'

interface Known {
  readonly mtimeMs: number
  readonly children: ReadonlyMap<string, readonly string[]>
}

const known = new Map<string, Known>()

/**
 * Which sessions began which in a folder whose files name their parent. All of them have to be looked at for that, so it
 * is done once for each state of the folder and not once for each of its sessions.
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

/** The session and all below it, each once. */
export function sessionTree(session: string, children: ReadonlyMap<string, readonly string[]>): string[] {
  const family = new Set([session])
  // What is added while the set is walked is walked too.
  for (const member of family) for (const child of children.get(member) ?? []) family.add(child)
  return [...family]
}
