import type { Command } from '../../src/cli/command.ts'
import { format } from '../format.ts'

/** src/cli/_quick-commands.ts: what the commands take that are parsed without their definitions (simple-command.ts). */
export function quickCommandsSource(commands: readonly Command[], names: readonly string[]): string {
  const quick = names.map((name) => {
    const { arguments: taken = [], options = [] } = commands.find((command) => command.name === name)!
    if (taken.some(({ required, many, choices }) => !required || many || choices))
      throw new Error(`${name} is not simple`)
    return [
      name,
      { arguments: taken.length, options: options.map(({ flags, many, choices }) => ({ flags, many, choices })) },
    ]
  })
  return format(
    '_quick-commands.ts',
    `// Written by npm run generate from the definitions of these commands.
import type { OptionDefinition } from './command.ts'

interface QuickCommand {
  /** How many, each of them required. */
  readonly arguments: number
  readonly options: readonly Omit<OptionDefinition, 'summary' | 'completes'>[]
}

export const quickCommands: Readonly<Record<'${names.join("' | '")}', QuickCommand>> = ${JSON.stringify(Object.fromEntries(quick))}
`,
  )
}
