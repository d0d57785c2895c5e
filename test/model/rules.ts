// What makes the stub model strict: each protocol has rules, and a request that breaks one is answered with the error that
// the provider would give. A rule exists only where the provider is known to have it; its comment says how it is known.
import { asArray, asObject } from '../../src/native/narrow.ts'

/** What is wrong with a request, and what the provider says about it. */
export interface Violation {
  /** Where in the request, such as `messages.2.content.0`. */
  place: string
  /** The provider's message. */
  message: string
  /** 400, if not told otherwise. */
  status?: number
  /** The provider's name for this kind of error, where it has one. */
  code?: string
  /** The parameter that OpenAI names, where it is not the place. */
  param?: string
}

export interface Rejection extends Violation {
  /** The name of the rule. */
  rule: string
}

/** By name, in the order in which they are checked. */
export type Rules<Request> = Readonly<Record<string, (request: Request) => Violation | undefined>>

/** The first rule that a request breaks. */
export function firstRejection<Request>(rules: Rules<Request>, request: Request): Rejection | undefined {
  for (const [rule, check] of Object.entries(rules)) {
    const violation = check(request)
    if (violation) return { rule, ...violation }
  }
  return undefined
}

/** The first violation in a list, found by looking at one entry after the other. */
export function firstOf<Item>(
  items: readonly Item[],
  check: (item: Item, index: number) => Violation | undefined,
): Violation | undefined {
  for (const [index, item] of items.entries()) {
    const violation = check(item, index)
    if (violation) return violation
  }
  return undefined
}

/** The objects of what should be a list of them; anything else counts as an empty object, so that indexes stay right. */
export function objectsOf(value: unknown): Record<string, unknown>[] {
  return (asArray(value) ?? []).map((item) => asObject(item) ?? {})
}

/** Names of tools, and ids of calls, as OpenAI and Anthropic accept them. */
export const PLAIN_NAME = /^[a-zA-Z0-9_-]+$/
