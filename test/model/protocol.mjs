// What a protocol must give, and the parts of its behaviour that are the same for all.

/**
 * @typedef {import('./script.mjs').Request} Request
 * @typedef {{method: string, world: string, path: string, query: string, body: any}} HttpCall
 * @typedef {{id: string, model: string, think?: string, say?: string, call?: import('./history.mjs').Call, hang?: true,
 *   usage: {input: number, output: number}}} Reply
 *
 * @typedef {object} Protocol
 * @property {string} name
 * @property {string} contentType of a streamed answer
 * @property {(call: HttpCall) => boolean} isTurn whether this asks the model for words
 * @property {(call: HttpCall) => Request} read
 * @property {(call: HttpCall) => object | undefined} [aside] answers what is asked besides: models, token counts
 * @property {(reply: Reply) => object} whole the answer in one piece
 * @property {(reply: Reply) => string[]} frames the same, streamed; of an answer that hangs only what comes before
 * @property {(failure: {fail: number, message: string}) => object} failure
 */

/** Fixed, so that a test can compare the tokens that were read back. @param {Request} request */
export function usageOf({ messages }) {
  return { input: 100 + 10 * messages.length, output: 20 }
}

/** Instructions of requests that agents make beside the conversation. */
const EXTRA_WORK = /\b(titles?|summar\w+|topics?|classif\w+|commit messages?|isNewTopic|branch names?)\b/i

/**
 * Whether the agent asks for itself and not for the user. It offers tools whenever it talks for the user, but for agents
 * that know none; their instructions are longer than the few words that ask for a title.
 * @param {Request} request
 */
export function isExtra({ silent, forcedTool, answerSchema, tools, system, messages }) {
  if (silent || forcedTool || answerSchema) return true
  if (tools.length) return false
  const asked = messages.filter((message) => message.role === 'user').at(-1)?.text ?? ''
  return EXTRA_WORK.test(system.slice(0, 400)) || (!system && EXTRA_WORK.test(asked.slice(0, 200)))
}
