// Finds the shell among the tools that an agent offers, whatever it is called, and fills in what its schema asks for.

export interface Tool {
  name: string
  schema?: JsonSchema | undefined
}

/** What is looked at of a JSON schema. */
export interface JsonSchema {
  type?: string | string[]
  enum?: unknown[]
  const?: unknown
  anyOf?: JsonSchema[]
  oneOf?: JsonSchema[]
  minimum?: number
  required?: string[]
  properties?: Record<string, JsonSchema>
}

/** Names of shell tools, the likelier first. */
const SHELL_NAMES = [
  'Bash',
  'bash',
  'shell',
  'exec_command',
  'shell_command',
  'run_shell_command',
  'launch-process',
  'developer__shell',
  'local_shell',
  'execute_bash',
  'run_terminal_cmd',
]
const COMMAND_NAMES = ['command', 'cmd', 'script']

/**
 * `cwd` is the folder that the agent names, for tools that require one. Undefined when no shell is offered.
 */
export function shellCall(
  tools: Tool[],
  command: string,
  cwd?: string,
): { name: string; input: Record<string, unknown> } | undefined {
  const tool = SHELL_NAMES.map((name) => tools.find((tool) => tool.name === name)).find(Boolean)
  if (!tool) return undefined
  const properties = tool.schema?.properties ?? {}
  const key = COMMAND_NAMES.find((name) => properties[name]) ?? 'command'
  const input: Record<string, unknown> = { ...required(tool.schema), [key]: commandAs(properties[key], command) }
  if (properties.description) input.description = 'Run a command'
  if (properties.cwd && cwd) input.cwd = cwd
  return { name: tool.name, input }
}

/** The smallest value that a JSON schema accepts. */
export function example(schema: JsonSchema | undefined): unknown {
  const one = schema?.anyOf?.[0] ?? schema?.oneOf?.[0] ?? schema ?? {}
  const values = one.enum ?? (one.const === undefined ? undefined : [one.const])
  // "Whose turn is it?" must be answered with "user", or the agent continues on its own.
  if (values) return values.includes('user') ? 'user' : values[0]
  switch (String(Array.isArray(one.type) ? one.type[0] : (one.type ?? 'object')).toLowerCase()) {
    case 'object':
      return required(one)
    case 'array':
      return []
    case 'boolean':
      return true
    case 'integer':
    case 'number':
      return one.minimum ?? 60
    default:
      return 'stub'
  }
}

function required(schema: JsonSchema | undefined): Record<string, unknown> {
  return Object.fromEntries((schema?.required ?? []).map((name) => [name, example(schema?.properties?.[name])]))
}

function commandAs(schema: JsonSchema | undefined, command: string): string | string[] {
  return String(schema?.type).toLowerCase() === 'array' ? ['bash', '-lc', command] : command
}
