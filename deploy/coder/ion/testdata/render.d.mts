/** Values by the names that the scripts know them under. */
export type Settings = Readonly<Record<string, string>>

export type ScriptName = 'install' | 'start' | 'attach' | 'stop'

export const defaultSettings: Settings
export const sampleSettings: Settings
export const sampleVariables: Readonly<Record<string, unknown>>

/** The whole text of a script. */
export function renderScript(name: ScriptName, settings?: Settings): string

/** Values of `ARG_AI_PROMPT` and `ARG_AGENT_ARGS`. */
export function encodePrompt(text: string): string
export function encodeArguments(words: readonly string[]): string
