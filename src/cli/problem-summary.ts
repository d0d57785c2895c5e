import type { Problem } from '../events/item.ts'
import { pluralize } from '../platform/format-count.ts'
import { tilde } from '../platform/home.ts'
import type { Io } from '../platform/io.ts'
import { fit, oneLine } from './text.ts'

/** How many problems are described one by one. */
const MAX_DESCRIBED = 3
const MAX_COLUMNS = 240

/** What could not be read of a session: descriptions of the first problems, and a count of the rest. */
export class ProblemSummary {
  readonly #first: Problem[] = []
  #count = 0

  add(problem: Problem): void {
    if (this.#first.length < MAX_DESCRIBED) this.#first.push(problem)
    this.#count++
  }

  get count(): number {
    return this.#count
  }

  /** One line for each of the first, and one for the rest. */
  lines(io: Io): string[] {
    const rest = this.#count - this.#first.length
    return [
      ...this.#first.map((problem) => problemLine(problem, io)),
      ...(rest > 0 ? [`${pluralize(rest, 'more record')} could not be read`] : []),
    ]
  }
}

export function problemLine(problem: Problem, io: Io): string {
  return fit(`could not be read: ${oneLine(describe(problem, io))}`, MAX_COLUMNS)
}

function describe({ problem, path, line }: Problem, io: Io): string {
  return `${problem} (${tilde(path, io)}${line === undefined ? '' : `, line ${line}`})`
}
