/** The operations of an append-only file, one per line. */
export interface OperationLines<T> {
  readonly operations: readonly T[]
  readonly badLines: number
}

/** A last line without a line break counts if it is complete: then only the break is missing. */
export function parseOperationLines<T>(text: string, parse: (line: string) => T | undefined): OperationLines<T> {
  const lines = text.split('\n')
  const operations: T[] = []
  let badLines = 0
  for (const [index, line] of lines.entries()) {
    if (line === '') continue
    const operation = parse(line)
    if (operation) operations.push(operation)
    // Somebody may be writing the last line now, or was killed while doing so.
    else if (index < lines.length - 1) badLines++
  }
  return { operations, badLines }
}
