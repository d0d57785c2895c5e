/** The name that was probably meant: the beginning of it, or it with a typing mistake or two. */
export function nearest(typed: string, names: readonly string[]): string | undefined {
  const word = typed.toLowerCase()
  if (word.length < 2) return undefined
  const begun = names.filter((name) => name.startsWith(word))
  if (begun.length === 1) return begun[0]
  const near = names
    .map((name) => ({ name, mistakes: mistakes(word, name) }))
    .filter(({ name, mistakes }) => mistakes <= (Math.min(word.length, name.length) < 5 ? 1 : 2))
    .sort((a, b) => a.mistakes - b.mistakes)
  return near[0]?.name
}

/** Letters that are wrong, missing, too many, or swapped with their neighbour. */
function mistakes(one: string, other: string): number {
  const rows = [Array.from({ length: other.length + 1 }, (_, at) => at)]
  for (let i = 1; i <= one.length; i++) {
    const row = [i]
    for (let j = 1; j <= other.length; j++) {
      const differs = one[i - 1] === other[j - 1] ? 0 : 1
      row[j] = Math.min(rows[i - 1]![j]! + 1, row[j - 1]! + 1, rows[i - 1]![j - 1]! + differs)
      if (i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1])
        row[j] = Math.min(row[j]!, rows[i - 2]![j - 2]! + 1)
    }
    rows.push(row)
  }
  return rows[one.length]![other.length]!
}
