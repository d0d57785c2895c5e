// The JSON of a session in lists. The fields come from the interface in src/, their descriptions from here; the generator
// fails when one has no description, or a description has no field.
import { readFileSync } from 'node:fs'
import { parseAst } from 'rolldown/parseAst'
import { code, table } from './markdown.ts'

const meanings: Readonly<Record<string, string>> = {
  id: 'UUID: the native id where that is one, else derived from agent and native id',
  agent: 'id of the agent that made it',
  native_id: "the agent's own id",
  title: "`name` if there is one, else the agent's title, else the beginning of the first prompt",
  cwd: 'folder in which the agent ran',
  project: 'git top level of `cwd`, else `cwd`',
  created_at: 'ISO 8601, UTC',
  updated_at: 'ISO 8601, UTC',
  messages: 'prompts and answers',
  tool_calls: 'tool calls',
  tokens: 'object: `input`, `output`, `cache_read`, `cache_write`, `reasoning` (see [format.md](format.md#tokens))',
  model: 'the last one used',
  bytes: "size of its files; of a row in a database, of its texts; 0 where that isn't cheap to know",
  path: 'file or database that holds it',
  resumable: 'the agent has a command that takes it up again',
  archived: 'Ion has a copy of its own',
  only_in_archive: 'only Ion has it: the agent has deleted it, or it was pruned or imported',
  live: 'a process has it open now; null if unknown',
  problems: 'places that could not be read',
  parent_session: 'session whose sub-agent this was',
  forked_from: 'session it was forked from, by its agent, `ion fork` or `ion handover`',
  handed_over_to: 'sessions that `ion handover` and `ion fork` made from it (see [handover.md](handover.md))',
  hidden: 'put away by the user in the agent itself',
  name: 'given with `ion rename` (see [organise.md](organise.md))',
  tags: 'given with `ion tag`, in alphabetical order',
  pinned: 'marked with `ion pin`',
  note: 'written with `ion note`',
}

export function sessionJsonTable(): string {
  const fields = interfaceFields('src/catalog/session-row.ts', 'SessionRow')
  const unknown = fields.filter(({ name }) => !(name in meanings)).map(({ name }) => name)
  const gone = Object.keys(meanings).filter((name) => !fields.some((field) => field.name === name))
  if (unknown.length || gone.length) {
    throw new Error(
      `SessionRow has changed: scripts/generate/session-json.ts does not describe [${unknown}] and describes [${gone}], which is gone`,
    )
  }
  return table(
    ['field', 'type', 'what'],
    fields.map(({ name, type }) => [code(name), type, meanings[name] ?? '']),
  )
}

/** A node of the syntax tree, as far as is looked at here. */
interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly declaration?: Node
  readonly id?: { readonly name: string }
  readonly body?: { readonly body: readonly Member[] }
}

interface Member {
  readonly key: { readonly name: string }
  readonly typeAnnotation: { readonly typeAnnotation: Node }
}

function interfaceFields(path: string, name: string): { name: string; type: string }[] {
  const text = readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')
  const nodes = parseAst(text, { lang: 'ts' }, path).body as unknown as readonly Node[]
  const found = nodes
    .map((node) => node.declaration ?? node)
    .find((node) => node.type === 'TSInterfaceDeclaration' && node.id?.name === name)
  if (!found?.body) throw new Error(`no interface ${name} in ${path}`)
  return found.body.body.map(({ key, typeAnnotation: { typeAnnotation } }) => ({
    name: key.name,
    type: text.slice(typeAnnotation.start, typeAnnotation.end).replace('TokenUsage', 'object').replace(' | ', ' or '),
  }))
}
