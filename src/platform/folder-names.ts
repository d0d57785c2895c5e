/**
 * The last name of each folder, with as many of those above it as it takes to tell it from the others: three projects may all be
 * called `shop`.
 */
export function folderNames(folders: ReadonlySet<string>): ReadonlyMap<string, string> {
  const names = new Map<string, string>()
  let left = [...folders].map((folder) => ({ folder, parts: partsOf(folder) }))
  for (let depth = 1; left.length > 0; depth++) {
    const same = new Map<string, typeof left>()
    for (const one of left) {
      const name = one.parts.slice(-depth).join('/')
      names.set(one.folder, name)
      const group = same.get(name)
      if (group) group.push(one)
      else same.set(name, [one])
    }
    left = [...same.values()]
      .filter((group) => group.length > 1 && group.some(({ parts }) => parts.length > depth))
      .flat()
  }
  return names
}

function partsOf(folder: string): readonly string[] {
  return folder.split('/').filter(Boolean)
}
