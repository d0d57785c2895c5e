// One shape for the history of a conversation, whichever protocol it was sent in, so that a scenario can compare them.

export type Call = { id: string; name: string; input: unknown }

export type Result = { id: string; text: string; isError: boolean }

export type Role = 'user' | 'assistant' | 'tool' | 'system'

export type Message = { role: 'user' | 'assistant' | 'tool' | 'system'; text: string; calls: Call[]; results: Result[] }

/** Blocks that agents put around or beside what the user typed. */
const MACHINE_TAGS = [
  'system-reminder',
  'system_reminder',
  'system_notification',
  'environment_context',
  'user_instructions',
  'permissions instructions',
  'collaboration_mode',
  'skills_instructions',
  'apps_instructions',
  'plugins_instructions',
  'personality_spec',
  'model_switch',
  'turn_aborted',
  'turn-context',
  'info-msg',
  'session_context',
  'current_datetime',
  'reminder',
  'sql_tables',
  'supervisor',
]
const machineBlock = new RegExp(`<(${MACHINE_TAGS.join('|')})(?: [^>]*)?>[^]*?</\\1>`, 'g')

/** How user texts begin that an agent wrote from end to end. */
const MACHINE_OPENINGS = [
  '# User State\n',
  'I am not sharing any files that you can edit yet.',
  'I have *added these files to the chat*',
  'Here are summaries of some files present in my git repo',
]

/** What a person typed of a user text: nothing, when an agent wrote it all. */
function typedText(text: string) {
  if (MACHINE_OPENINGS.some((opening) => text.startsWith(opening))) return ''
  const rest = text.replace(machineBlock, '')
  return rest === text ? text : rest.trim()
}

/** One message per text: agents differ in whether they join two prompts into one message. */
export function addUser(messages: Message[], text: string) {
  const typed = typedText(text)
  if (typed.trim()) messages.push({ role: 'user', text: typed, calls: [], results: [] })
  else if (text.trim()) messages.push({ role: 'system', text, calls: [], results: [] })
}

export function addSystem(messages: Message[], text: string) {
  if (text.trim()) messages.push({ role: 'system', text, calls: [], results: [] })
}

/** Texts and calls of one answer are one message, also where the protocol keeps them apart. */
export function addAssistant(messages: Message[], { text = '', call }: { text?: string; call?: Call }) {
  if (!text && !call) return
  const message = lastOf(messages, 'assistant')
  message.text += text
  if (call) message.calls.push(call)
}

export function addResult(messages: Message[], result: Result) {
  lastOf(messages, 'tool').results.push(result)
}

/** The text of what may be a string, a list of parts, or anything else. */
export function flatText(content: unknown): string {
  if (content === undefined || content === null) return ''
  if (typeof content === 'string') return content
  if (Array.isArray(content)) return content.map(flatText).filter(Boolean).join('\n')
  if (typeof content === 'object' && 'text' in content) return flatText(content.text)
  return JSON.stringify(content)
}

/** Arguments arrive as JSON text from most agents. */
export function parsedInput(text: unknown) {
  if (typeof text !== 'string') return text ?? {}
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

function lastOf(messages: Message[], role: 'assistant' | 'tool') {
  const last = messages.at(-1)
  if (last?.role === role) return last
  const message: Message = { role, text: '', calls: [], results: [] }
  messages.push(message)
  return message
}
