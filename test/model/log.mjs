// Every request that the model got, in memory and in a file, and the questions that a scenario asks of it.
import { appendFileSync } from 'node:fs'
import { latestPrompts } from './prompts.mjs'

/**
 * @typedef {import('./history.mjs').Message} Message
 * @typedef {object} Entry
 * @property {number} n @property {string} at @property {string} world @property {string} protocol
 * @property {string} path @property {string} query
 * @property {'turn' | 'extra'} kind `extra`: a title, a summary, a list of models; not the conversation
 * @property {string} model @property {boolean} stream @property {Message[]} messages @property {string[]} tools
 * @property {string} prompt the last thing that a person asked for, in this turn or before its tool calls
 * @property {string[]} sent the prompts that this turn brought and no turn before it
 * @property {import('./script.mjs').Answer | null} step what was answered
 * @property {{input: number, output: number} | null} usage the tokens that were told
 * @property {true} [closed] the agent hung up before the answer was whole
 */

/** @param {string} [file] each entry is appended to it as a line, and `{n, closed}` when an agent hung up */
export function createLog(file) {
  /** @type {Entry[]} */
  const entries = []
  const write = (/** @type {object} */ line) => file && appendFileSync(file, `${JSON.stringify(line)}\n`)

  /** The requests of the conversation, of one world or of all. @param {string} [world] */
  const turns = (world) => entries.filter((entry) => entry.kind === 'turn' && (world ?? entry.world) === entry.world)

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

    /** What a turn asks for, seen against the turns before it. @param {Message[]} messages @param {string} world */
    latestPrompts: (messages, world) => latestPrompts(messages, turns(world)),

    /** How often a prompt with this text was handed to the model as a new one. @param {string} text @param {string} [world] */
    promptCount(text, world) {
      return turns(world)
        .flatMap((turn) => turn.sent)
        .filter((prompt) => prompt.includes(text)).length
    },

    /** The whole history of the last turn. @param {string} [world] @returns {Message[]} */
    lastHistory(world) {
      return turns(world).at(-1)?.messages ?? []
    },
  }
}
