import type { Command } from '../command.ts'

/** All commands, in the order in which help shows them. */
export const commands: readonly Command[] = []
