/** Things with the same key together, each group in its order. */
export function grouped<Thing, Key>(things: readonly Thing[], key: (thing: Thing) => Key): Map<Key, Thing[]> {
  const byKey = new Map<Key, Thing[]>()
  for (const thing of things) {
    const of = key(thing)
    const known = byKey.get(of)
    if (known) known.push(thing)
    else byKey.set(of, [thing])
  }
  return byKey
}
