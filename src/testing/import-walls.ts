import { dirname, posix } from 'node:path'
import { type Finding, findings, type ImportFinding, type SourceFile } from './source-findings.ts'

/** All that can be done, for those who may use everything. */
const capabilities = [
  'platform',
  'events',
  'native',
  'agents',
  'redact',
  'catalog',
  'export',
  'vault',
  'store',
  'snapshot',
  'run',
  'host',
  'server',
  'scripted',
  'modules',
]

/**
 * Which folder of src/ may import which: the one table, for the test, for `npm run check` and for ARCHITECTURE.md.
 * Every folder may import from itself; one that is not named here may import nothing and be imported by nobody.
 */
export const walls: Readonly<Record<string, readonly string[]>> = {
  platform: [],
  events: [],
  native: ['platform', 'events'],
  agents: ['platform', 'events', 'native'],
  redact: ['platform', 'events'],
  catalog: ['platform', 'events', 'native', 'agents'],
  export: ['platform', 'events', 'redact'],
  vault: ['platform', 'events', 'native', 'agents'],
  store: ['platform', 'events', 'native', 'agents', 'vault'],
  snapshot: ['platform', 'events', 'native', 'agents', 'vault'],
  run: ['platform', 'events', 'native', 'agents', 'vault', 'store'],
  host: ['platform', 'events', 'agents', 'run'],
  server: ['platform', 'events', 'native', 'agents', 'redact', 'export', 'store', 'run', 'host'],
  scripted: ['platform', 'agents'],
  modules: ['platform'],
  cli: capabilities,
  library: ['platform', 'events', 'native', 'agents', 'redact', 'catalog', 'export'],
  // The chat page: it runs in a browser, so that of the others it has only what is pure.
  web: ['platform', 'export'],
  // What the package gives to programs: a file, not a folder.
  'index.ts': ['platform', 'events', 'agents', 'catalog', 'library'],
  testing: [...capabilities, 'cli', 'library', 'index.ts'],
}

/** Written by a script; no other files name every agent. */
const REGISTRIES = ['agents/_registry.ts', 'agents/_loaders.ts']

/** An agent's names, which may stand as a string in its own folder only. */
export interface AgentNames {
  readonly id: string
  readonly names: readonly string[]
}

/** Of all agents but Ion's own archive, whose name is that of the program and stands everywhere. */
export function namesOf(agents: readonly { readonly id: string; readonly title: string }[]): AgentNames[] {
  return agents.filter(({ id }) => id !== 'ion').map(({ id, title }) => ({ id, names: [id, title] }))
}

/** What breaks a wall, one line each with file and line; nothing when all is well. */
export function brokenWalls(files: readonly SourceFile[], agents: readonly AgentNames[]): string[] {
  const read = files.map((file) => ({ file, found: findings(file) }))
  // A helper of tests may stand beside them in an agent's folder: it is one by importing from testing/.
  const helpers = new Set(
    read
      .filter(({ file, found }) => found.some((one) => one.kind === 'import' && aimOf(file.path, one) === 'testing'))
      .map(({ file }) => file.path),
  )
  return read.flatMap(({ file, found }) =>
    found.flatMap((one) => {
      const reason = judge(file.path, one, agents, helpers)
      return reason ? [`src/${file.path}:${lineAt(file.text, one.start)} ${reason}`] : []
    }),
  )
}

/** Why it is not allowed; undefined when it is. */
function judge(
  path: string,
  found: Finding,
  agents: readonly AgentNames[],
  helpers: ReadonlySet<string>,
): string | undefined {
  const isForTests = partOf(path) === 'testing' || helpers.has(path)
  if (found.kind === 'import') return judgeImport(path, found, isForTests, helpers)
  if (isForTests || REGISTRIES.includes(path)) return undefined
  if (found.kind === 'print') return partOf(path) === 'cli' ? undefined : `uses ${found.what}: only src/cli/ prints`
  const agent = agents.find(({ names }) => names.includes(found.value))
  if (!agent || path.startsWith(`agents/${agent.id}/`)) return undefined
  return `names the agent "${found.value}" outside src/agents/${agent.id}/`
}

function judgeImport(
  path: string,
  found: ImportFinding,
  isForTests: boolean,
  helpers: ReadonlySet<string>,
): string | undefined {
  const { target, isType, isDynamic } = found
  if (/^cli\/commands\/[^/]+\/definition\.ts$/.test(path) && !isType && !isDynamic) {
    return `imports ${target}: a definition imports types only, since all of them are loaded at every start`
  }
  if (!target.startsWith('.')) return undefined
  const aim = resolved(path, target)
  if (aim.startsWith('..')) return `imports ${target}, which is outside src/`
  if (helpers.has(aim) && !isForTests) return `imports ${aim}, which is for tests`
  const [from, to] = [partOf(path), partOf(aim)]
  if (from !== to) {
    const allowed = walls[from]?.includes(to) || (isForTests && to === 'testing')
    return allowed ? undefined : `imports ${aim}: ${from} may not import ${to}`
  }
  const [own, other] = [agentOf(path), agentOf(aim)]
  if (from === 'agents' && other !== undefined && own !== other && !REGISTRIES.includes(path)) {
    return `imports ${aim}: what two agents share belongs into src/native/`
  }
  return undefined
}

function resolved(path: string, target: string): string {
  return posix.normalize(posix.join(dirname(path), target))
}

function aimOf(path: string, { target }: ImportFinding): string | undefined {
  return target.startsWith('.') ? partOf(resolved(path, target)) : undefined
}

/** The folder of src/ that a file is in, or the file itself when it is in none. */
function partOf(path: string): string {
  return path.split('/')[0]!
}

function agentOf(path: string): string | undefined {
  const [, agent, file] = path.split('/')
  return file === undefined ? undefined : agent
}

function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length
}
