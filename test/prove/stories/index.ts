import type { Checks } from '../checks.ts'
import type { Scene, Subject } from '../scene.ts'
import { anotherPrompt } from './another-prompt.ts'
import { chat } from './chat.ts'
import { commands } from './commands.ts'
import { handover, isTarget } from './handover.ts'
import { killAgentInAnswer, killAgentInTool, killIon } from './kill.ts'
import { life } from './life.ts'
import { MOVED_FOLDER, movedHome } from './moved-home.ts'
import { noVolume } from './no-volume.ts'
import { onePerFolder } from './one-per-folder.ts'
import { prompts } from './prompts.ts'
import { questions } from './questions.ts'
import { refusingStore } from './refusing-store.ts'
import { rename } from './rename.ts'
import { retention } from './retention.ts'
import { serve } from './serve.ts'
import { serveTurns } from './serve-turns.ts'
import { terminalFirst } from './terminal-first.ts'
import { failedStart, twoProjects } from './two-projects.ts'
import { unavailableService } from './unavailable-service.ts'
import { underAgentapi } from './under-agentapi.ts'
import { youngDatabase } from './young-database.ts'

/** A sequence of scenarios on one scene. */
export interface Story {
  readonly run: (scene: Scene, checks: Checks) => Promise<void>
  /** Name of the project's folder. */
  readonly folder?: string
  /** Also keep each request to the model as it came. */
  readonly keepRequests?: true
  /** The agents that it applies to; by default those that answer here. */
  readonly fits?: (subject: Subject) => boolean
  /** Only for agents whose pin.json lists it under `stories`. */
  readonly optional?: true
}

export const stories: Readonly<Record<string, Story>> = {
  retention: { run: retention, optional: true },
  life: { run: life },
  'terminal first': { run: terminalFirst },
  'kill in the answer': { run: killAgentInAnswer },
  'kill in a tool': { run: killAgentInTool, fits: (subject) => answers(subject) && subject.tools !== false },
  'kill Ion': { run: killIon },
  prompts: { run: prompts, folder: 'der Läden 日本 shop' },
  commands: { run: commands },
  'another prompt': { run: anotherPrompt },
  'a store that refuses': { run: refusingStore },
  'two projects': { run: twoProjects },
  'failed start': { run: failedStart },
  'moved home': { run: movedHome, folder: MOVED_FOLDER },
  'no volume': { run: noVolume, folder: MOVED_FOLDER },
  rename: { run: rename },
  handover: { run: handover, fits: isTarget, keepRequests: true },
  serve: { run: serve, optional: true },
  chat: { run: chat, optional: true },
  'serve turns': { run: serveTurns, optional: true },
  questions: { run: questions, optional: true },
  'young database': { run: youngDatabase, optional: true },
  'one per folder': { run: onePerFolder, optional: true },
  agentapi: { run: underAgentapi, fits: (subject) => answers(subject) && subject.agentapi !== undefined },
  'no service': { run: unavailableService, fits: (subject) => !answers(subject) },
}

/** Whether a story applies to this build. */
export function applies(name: string, subject: Subject): boolean {
  const { fits = answers, optional } = stories[name] ?? {}
  return fits(subject) && (!optional || subject.stories?.includes(name) === true)
}

function answers(subject: Subject): boolean {
  return subject.service !== false
}
