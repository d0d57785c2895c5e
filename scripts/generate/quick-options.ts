import type { Command } from '../../src/cli/command.ts'
import { format } from '../format.ts'

/** src/cli/_quick-options.ts: the options of the commands that are parsed without their definitions (simple-command.ts). */
export function quickOptionsSource(commands: readonly Command[], names: readonly string[]): string {
  const options = names.map((name) => {
    const { options = [] } = commands.find((command) => command.name === name)!
    return [name, options.map(({ flags, many, choices }) => ({ flags, many, choices }))]
  })
  return format(
    '_quick-options.ts',
    `// Written by npm run generate from the definitions of these commands.
import type { OptionDefinition } from './command.ts'

type QuickOption = Omit<OptionDefinition, 'summary' | 'completes'>

export const quickOptions: Readonly<Record<'${names.join("' | '")}', readonly QuickOption[]>> = ${JSON.stringify(Object.fromEntries(options))}
`,
  )
}
