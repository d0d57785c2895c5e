// Finds the shell among the tools that an agent offers, whatever it is called, and fills in what its schema asks for.

/** @typedef {{name: string, type?: string, schema?: any}} Tool */

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
 * @param {Tool[]} tools @param {string} command
 * @param {string} [cwd] the folder the agent says it is in, for tools that must be told
 * @returns {{name: string, input: Record<string, unknown>} | undefined} nothing when no shell is offered
 */
export function shellCall(tools, command, cwd) {
  const tool = SHELL_NAMES.map((name) => tools.find((tool) => tool.name === name)).find(Boolean)
  if (!tool) return undefined
  const properties = tool.schema?.properties ?? {}
  const key = COMMAND_NAMES.find((name) => properties[name]) ?? 'command'
  const input = { ...required(tool.schema), [key]: commandAs(properties[key], command) }
  if (properties.description) input.description = 'Run a command'
  if (properties.cwd && cwd) input.cwd = cwd
  return { name: tool.name, input }
}

/** The smallest value that a JSON schema accepts. @param {any} schema @returns {any} */
export function example(schema) {
  const one = schema?.anyOf?.[0] ?? schema?.oneOf?.[0] ?? schema ?? {}
  const values = one.enum ?? (one.const === undefined ? undefined : [one.const])
  // "Whose turn is it?" must be answered with the user's, or the agent goes on by itself.
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

/** @param {any} schema @returns {Record<string, unknown>} */
function required(schema) {
  return Object.fromEntries(
    (schema?.required ?? []).map((/** @type {string} */ name) => [name, example(schema.properties?.[name])]),
  )
}

/** @param {any} schema @param {string} command */
function commandAs(schema, command) {
  return String(schema?.type).toLowerCase() === 'array' ? ['bash', '-lc', command] : command
}
