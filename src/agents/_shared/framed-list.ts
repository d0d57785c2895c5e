import type { ScreenQuestion } from '../screen.ts'

/** A list in a frame in which a mark and a blank precede one entry, and two blanks the others; one row each. */
export function readMarkedList(
  lines: readonly string[],
  mark: RegExp,
): Pick<ScreenQuestion, 'text' | 'details' | 'choices' | 'marked'> | undefined {
  const at = lines.findLastIndex((line) => mark.test(line.trimStart()))
  if (at < 0) return undefined
  const indent = lines[at]!.search(/\S/) + 2
  const isEntry = (line: string | undefined): boolean => line?.search(/\S/) === indent
  let [first, end] = [at, at + 1]
  while (isEntry(lines[first - 1])) first--
  while (isEntry(lines[end])) end++
  if (end - first < 2) return undefined
  const choices = lines.slice(first, end).map((line) => line.slice(indent).trim())
  return { ...describedBy(lines.slice(0, first)), choices, marked: at - first }
}

/** The question is the first paragraph that ends with a question mark, else the first one; the others are its details. */
export function describedBy(lines: readonly string[]): Pick<ScreenQuestion, 'text' | 'details'> {
  const paragraphs: string[][] = [[]]
  for (const line of lines) {
    if (line.trim() === '') paragraphs.push([])
    else paragraphs.at(-1)!.push(line.trim())
  }
  const written = paragraphs.filter((rows) => rows.length > 0)
  const asking = written.find((rows) => rows.at(-1)!.endsWith('?')) ?? written[0]
  const details = written.flatMap((rows) => (rows === asking ? [] : rows))
  return { text: asking?.join(' ') ?? '', details: details.join('\n') }
}
