// What a protocol provides, and the behaviour that is the same for all.

import type { Call } from './history.ts'
import type { Rejection } from './rules.ts'
import type { Request } from './script.ts'

export interface HttpCall {
  method: string
  world: string
  path: string
  query: string
  /** The operation, for a service that has one path for all of them (header `x-amz-target`). */
  target?: string
  /** The parsed JSON; each protocol knows the shape that its agents send. */
  body: unknown
}

export interface Usage {
  input: number
  output: number
}

export interface Reply {
  id: string
  model: string
  think?: string
  say?: string
  call?: Call
  hang?: true
  usage: Usage
  /** Whom signatures and sealed reasoning are issued to. */
  organisation: string
  /** See `Request`. */
  sealReasoning?: true
}

/** An error, as the script wants it or because the request breaks a rule. */
export interface Failure extends Partial<Rejection> {
  fail: number
  message: string
}

export interface Protocol {
  name: string
  /** Of a streamed answer. */
  contentType: string
  /** Whether this is a request to the model. */
  isTurn: (call: HttpCall) => boolean
  read: (call: HttpCall) => Request
  /** The rule of the provider that the request breaks. Without it nothing is known of the rules. */
  check?: (call: HttpCall, organisation: string) => Rejection | undefined
  /** Answers other requests: models, token counts. */
  answerOther?: (call: HttpCall) => object | undefined
  /** The answer in one piece. */
  whole: (reply: Reply) => object
  /** The same, streamed; of an answer that hangs only its beginning. */
  frames: (reply: Reply) => (string | Buffer)[]
  failure: (failure: Failure) => object
}

/** Fixed, so that a test can compare the tokens that were read back. */
export function usageOf({ messages }: Request): Usage {
  return { input: 100 + 10 * messages.length, output: 20 }
}

/** Instructions of requests that agents make beside the conversation. */
const EXTRA_WORK = /\b(titles?|summar\w+|topics?|classif\w+|commit messages?|isNewTopic|branch names?)\b/i

/**
 * Whether the agent asks on its own behalf, for a title or a summary. For the user's turns it offers tools, except agents
 * that have none; their instructions are longer than a request for a title.
 */
export function isExtra({ silent, forcedTool, answerSchema, tools, system, messages }: Request): boolean {
  if (silent || forcedTool || answerSchema) return true
  if (tools.length) return false
  const asked = messages.filter((message) => message.role === 'user').at(-1)?.text ?? ''
  return EXTRA_WORK.test(system.slice(0, 400)) || (!system && EXTRA_WORK.test(asked.slice(0, 200)))
}
