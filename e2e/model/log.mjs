// Every request that the model got, in memory and in a file, and the questions that a scenario asks of it.
import { appendFileSync } from 'node:fs'
import { lastPromptIndex } from './history.mjs'

/**
 * @typedef {import('./history.mjs').Message} Message
 * @typedef {object} Entry
 * @property {number} n @property {string} at @property {string} world @property {string} protocol @property {string} path
 * @property {'turn' | 'extra'} kind `extra`: a title, a summary, a list of models; not the conversation
 * @property {string} model @property {boolean} stream @property {Message[]} messages @property {string[]} tools
 * @property {object | null} step what was answered
 * @property {{input: number, output: number} | null} usage the tokens that were told
 * @property {true} [closed] the agent hung up before the answer was whole
 */

/** @param {string} [file] each entry is appended to it as a line, and `{n, closed}` when an agent hung up */
export function createLog(file) {
  /** @type {Entry[]} */
  const entries = []
  const write = (/** @type {object} */ line) => file && appendFileSync(file, `${JSON.stringify(line)}\n`)

  /** The requests of the conversation, of one world or of all. @param {string} [world] */
  const turns = (world) => entries.filter((entry) => entry.kind === 'turn' && (!world || entry.world === world))

  return {
    entries,
    turns,

    /** @param {Entry} entry */
    add(entry) {
      entries.push(entry)
      write(entry)
    },

    /** @param {Entry} entry */
    markClosed(entry) {
      entry.closed = true
      write({ n: entry.n, closed: true })
    },

    /** How often a prompt with this text was handed to the model as a new one. @param {string} text @param {string} [world] */
    promptCount(text, world) {
      return turns(world)
        .flatMap((turn, index, all) => newPrompts(turn, all.slice(0, index)))
        .filter((prompt) => prompt.includes(text)).length
    },

    /** The whole history of the last turn. @param {string} [world] @returns {Message[]} */
    lastHistory(world) {
      return turns(world).at(-1)?.messages ?? []
    },
  }
}

/**
 * The prompts at the end of a turn's history that no earlier turn had brought. A prompt that is followed by an answer or
 * a tool result is old. One that stands unanswered was brought before if an earlier turn ends in the same history, one
 * prompt less. The very same history again is a prompt sent again, but for a retry of what the model refused.
 * @param {Entry} turn @param {Entry[]} before @returns {string[]}
 */
function newPrompts(turn, before) {
  const { base, open } = ending(turn.messages)
  let known = 0
  for (const earlier of before.filter((entry) => entry.world === turn.world)) {
    const past = ending(earlier.messages)
    if (past.base !== base || past.open.some((prompt, index) => prompt !== open[index])) continue
    const refused = earlier.step !== null && 'fail' in earlier.step
    if (past.open.length < open.length || refused) known = Math.max(known, past.open.length)
  }
  return open.slice(known)
}

/** The prompts that nothing was answered to yet, and all that stands before them, as text. @param {Message[]} messages */
function ending(messages) {
  const talk = messages.filter((message) => message.role !== 'system')
  const answered = talk.findLastIndex((message) => message.role !== 'user')
  const open = lastPromptIndex(talk) > answered ? talk.slice(answered + 1).map((message) => message.text) : []
  return { base: JSON.stringify(talk.slice(0, answered + 1)), open }
}
