import type { CommandDefinition } from '../command.ts'

/** Called by the completion scripts. */
export const complete = {
  name: 'complete',
  summary: 'answer a completion script',
  internal: true,
  arguments: [{ name: 'words', summary: 'what was typed after ion; the last word is completed', many: true }],
} as const satisfies CommandDefinition

export const host = {
  name: 'host',
  summary: 'keep an agent running in the background; started by "ion run --detach"',
  internal: true,
} as const satisfies CommandDefinition

export const serveProcess = {
  name: 'serve-process',
  summary: 'serve a task in the background; started by "ion serve --detach"',
  internal: true,
} as const satisfies CommandDefinition

export const replicaProcess = {
  name: 'replica-process',
  summary: 'keep a task in a store; started by "ion run --replica"',
  internal: true,
} as const satisfies CommandDefinition

export const webProcess = {
  name: 'web-process',
  summary: 'serve the page over all sessions in the background; started by "ion web --detach"',
  internal: true,
} as const satisfies CommandDefinition
