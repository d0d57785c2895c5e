import { killAgentInAnswer, killAgentInTool, killIon } from './kill.mjs'
import { life } from './life.mjs'
import { MOVED_FOLDER, movedHome } from './moved-home.mjs'
import { prompts } from './prompts.mjs'
import { retention } from './retention.mjs'
import { serve } from './serve.mjs'
import { terminalFirst } from './terminal-first.mjs'
import { unavailableService } from './unavailable-service.mjs'
import { underAgentapi } from './under-agentapi.mjs'
import { youngDatabase } from './young-database.mjs'

/**
 * @typedef {object} Story
 * @property {(scene: import('../scene.mjs').Scene, checks: import('../checks.mjs').Checks) => Promise<void>} tell
 * @property {string} [folder]  name of the project's folder
 * @property {(subject: import('../scene.mjs').Subject) => boolean} [fits]  default: every agent that answers here
 */

const answers = (/** @type {import('../scene.mjs').Subject} */ subject) => subject.service !== false

/** @type {Record<string, Story>} */
export const stories = {
  retention: { tell: retention, fits: ({ agent }) => agent === 'gemini' },
  life: { tell: life, fits: answers },
  'terminal first': { tell: terminalFirst, fits: answers },
  'kill in the answer': { tell: killAgentInAnswer, fits: answers },
  'kill in a tool': { tell: killAgentInTool, fits: (subject) => answers(subject) && subject.tools !== false },
  'kill Ion': { tell: killIon, fits: answers },
  prompts: { tell: prompts, folder: 'der Läden 日本 shop', fits: answers },
  'moved home': {
    tell: movedHome,
    folder: MOVED_FOLDER,
    fits: answers,
  },
  serve: {
    tell: serve,
    fits: (subject) => answers(subject) && ['amp', 'claude', 'codex', 'gemini', 'goose'].includes(subject.agent),
  },
  'young database': { tell: youngDatabase, fits: ({ agent }) => agent === 'goose' },
  agentapi: { tell: underAgentapi, fits: (subject) => answers(subject) && subject.agentapi !== undefined },
  'no service': { tell: unavailableService, fits: (subject) => !answers(subject) },
}
