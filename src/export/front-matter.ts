import { cleanLine } from './clean.ts'
import type { Survey } from './first-pass.ts'

const LONGEST = 1000

type Value = string | number | true | readonly string[] | Readonly<Record<string, number>>

/** The facts of a session in the order in which a person wants them. */
export function factsOf(survey: Survey): [name: string, value: Value][] {
  const { start, tokens } = survey
  const spent = Object.entries(tokens).filter(([, count]) => count > 0)
  const facts: [string, Value | null | undefined][] = [
    ['id', start?.session_id],
    ['agent', start?.agent],
    ['agent_version', start?.source.agent_version],
    ['title', titleOf(survey)],
    ['cwd', start?.cwd],
    ['git_branch', start?.git?.branch],
    ['model', survey.model ?? start?.model],
    ['created', survey.created_at ?? start?.timestamp],
    ['updated', survey.updated_at],
    ['messages', survey.messages],
    ['tool_calls', survey.tool_calls],
    ['tokens', spent.length > 0 ? Object.fromEntries(spent) : null],
    ['forked_from', start?.forked_from],
    ['parent_session', start?.parent_session],
    ['sub_agents', survey.subAgents?.length ? survey.subAgents.map((session) => session.id) : null],
    ['other_branches', survey.branches.others || null],
    ['unknown_records', survey.unknown || null],
    ['redacted', survey.redacted],
  ]
  return facts.flatMap(([name, value]) => (value === null || value === undefined ? [] : [[name, value]]))
}

export function titleOf({ start, prompts }: Survey): string {
  return cleanLine(start?.title ?? prompts[0] ?? '', 200) || 'Untitled session'
}

/** YAML front matter. JSON strings are YAML strings, so nothing in a title can break out. */
export function frontMatter(survey: Survey): string {
  const lines = factsOf(survey).map(([name, value]) => `${name}: ${yaml(value)}`)
  return `---\n${lines.join('\n')}\n---\n`
}

function yaml(value: Value): string {
  if (typeof value === 'string') return scalar(cleanLine(value, LONGEST))
  if (typeof value !== 'object') return String(value)
  if (Array.isArray(value)) return `[${value.map((item) => scalar(item)).join(', ')}]`
  return `{ ${Object.entries(value)
    .map(([key, count]) => `${key}: ${count}`)
    .join(', ')} }`
}

/** Bare where YAML reads it as the same text, else quoted. */
function scalar(text: string): string {
  return /^[A-Za-z/~][\w/.~ -]*$/.test(text) && !/^(?:true|false|yes|no|on|off|null|y|n|~)$|\s$/i.test(text)
    ? text
    : JSON.stringify(text)
}
