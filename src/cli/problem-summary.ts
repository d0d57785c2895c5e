import type { Problem } from '../events/item.ts'
import { tilde } from '../platform/home.ts'
import type { Io } from '../platform/io.ts'
import { pluralize } from './pluralize.ts'
import { fit, oneLine } from './text.ts'

/** So many are told one by one. */
const TOLD = 3
const LONGEST = 240

/** What could not be read of a session: how much, and the first of it in words. */
export class ProblemNotes {
  readonly #first: Problem[] = []
  #count = 0

  add(problem: Problem): void {
    if (this.#first.length < TOLD) this.#first.push(problem)
    this.#count++
  }

  get count(): number {
    return this.#count
  }

  /** One line for each of the first, and one for the rest. */
  lines(io: Io): string[] {
    const rest = this.#count - this.#first.length
    return [
      ...this.#first.map((problem) => fit(`could not be read: ${oneLine(describe(problem, io))}`, LONGEST)),
      ...(rest > 0 ? [`${pluralize(rest, 'more record')} could not be read`] : []),
    ]
  }
}

function describe({ problem, path, line }: Problem, io: Io): string {
  return `${problem} (${tilde(path, io)}${line === undefined ? '' : `, line ${line}`})`
}
