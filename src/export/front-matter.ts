import { cleanLine } from './clean.ts'
import type { FirstPass } from './first-pass.ts'

const MAX_LENGTH = 1000

type Value = string | number | true | readonly string[] | Readonly<Record<string, number>>

/** The facts of a session, in the order of interest. */
export function factsOf(session: FirstPass): [name: string, value: Value][] {
  const { start, tokens } = session
  const spent = (Object.entries(tokens) as [string, number][]).filter(([, count]) => count > 0)
  const facts: [string, Value | null | undefined][] = [
    ['id', start?.session_id],
    ['agent', start?.agent],
    ['agent_version', start?.source.agent_version],
    ['title', titleOf(session)],
    ['cwd', start?.cwd],
    ['git_branch', start?.git?.branch],
    ['model', session.model ?? start?.model],
    ['created', session.created_at ?? start?.timestamp],
    ['updated', session.updated_at],
    ['messages', session.messages],
    ['tool_calls', session.tool_calls],
    ['tokens', spent.length > 0 ? Object.fromEntries(spent) : null],
    ['forked_from', start?.forked_from],
    ['parent_session', start?.parent_session],
    ['sub_agents', session.subAgents?.length ? session.subAgents.map((session) => session.id) : null],
    ['other_branches', session.branches.others || null],
    ['unknown_records', session.unknown || null],
    ['redacted', session.redacted],
  ]
  return facts.flatMap(([name, value]) => (value === null || value === undefined ? [] : [[name, value]]))
}

export function titleOf({ name, start, prompts }: FirstPass): string {
  return cleanLine(name ?? start?.title ?? prompts[0] ?? '', 200) || 'Untitled session'
}

/** YAML front matter. JSON strings are valid YAML, so a title cannot break out. */
export function frontMatter(facts: FirstPass): string {
  const lines = factsOf(facts).map(([name, value]) => `${name}: ${yaml(value)}`)
  return `---\n${lines.join('\n')}\n---\n`
}

function yaml(value: Value): string {
  if (typeof value === 'string') return scalar(cleanLine(value, MAX_LENGTH))
  if (typeof value !== 'object') return String(value)
  if (Array.isArray(value)) return `[${value.map((item) => scalar(item)).join(', ')}]`
  return `{ ${Object.entries(value)
    .map(([key, count]) => `${key}: ${count}`)
    .join(', ')} }`
}

/** Unquoted if YAML reads it as the same text. */
function scalar(text: string): string {
  return /^[A-Za-z/~][\w/.~ -]*$/.test(text) && !/^(?:true|false|yes|no|on|off|null|y|n|~)$|\s$/i.test(text)
    ? text
    : JSON.stringify(text)
}
