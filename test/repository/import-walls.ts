import { dirname, posix } from 'node:path'
import { type Finding, findings, type ImportFinding, type SourceFile } from './source-findings.ts'

/** Everything that the fronts may use. */
const capabilities = [
  'platform',
  'events',
  'organise',
  'native',
  'agents',
  'live',
  'catalog',
  'export',
  'vault',
  'archive',
  'run',
  'host',
  'handover',
  'replica',
  'doctor',
  'server',
  'storage',
  'usage',
  'modules',
  'config',
]

/**
 * Which folder of src/ may import which: the one table, for the test, for `npm run check` and for ARCHITECTURE.md.
 * Every folder may import from itself; a folder that is not listed may import nothing and be imported by nobody.
 */
export const walls: Readonly<Record<string, readonly string[]>> = {
  platform: [],
  events: [],
  organise: ['platform', 'events'],
  native: ['platform', 'events'],
  agents: ['platform', 'events', 'native'],
  live: ['platform', 'events', 'native', 'agents'],
  catalog: ['platform', 'events', 'organise', 'native', 'agents'],
  export: ['platform', 'events'],
  vault: ['platform', 'events', 'organise', 'native', 'agents'],
  archive: ['platform', 'events', 'native', 'agents', 'live', 'vault'],
  run: ['platform', 'events', 'native', 'agents', 'live', 'vault', 'archive'],
  host: ['platform', 'events', 'agents', 'run'],
  handover: ['platform', 'events', 'organise', 'native', 'agents', 'export', 'vault', 'run'],
  replica: ['platform', 'events', 'native', 'agents', 'live', 'vault', 'archive', 'run'],
  server: [
    'platform',
    'events',
    'organise',
    'native',
    'agents',
    'live',
    'catalog',
    'export',
    'run',
    'host',
    'handover',
    'doctor',
    'usage',
    'library',
  ],
  doctor: ['platform', 'events', 'organise', 'native', 'agents', 'catalog', 'run'],
  storage: ['platform', 'events', 'native', 'agents', 'catalog', 'vault', 'archive'],
  usage: ['platform', 'events', 'native', 'agents', 'catalog'],
  modules: ['platform'],
  config: ['platform', 'native', 'agents'],
  cli: capabilities,
  library: ['platform', 'events', 'organise', 'native', 'agents', 'catalog', 'export', 'run', 'usage'],
  // The chat page runs in a browser, so it may import only what is pure.
  web: ['platform', 'export'],
  // What the package offers to programs: a file, not a folder.
  'index.ts': ['platform', 'events', 'agents', 'catalog', 'usage', 'library'],
}

/** Folders of which only types may be imported, in addition. */
export const typeWalls: Readonly<Record<string, readonly string[]>> = {
  // The contract of the HTTP API, and of what it reports.
  web: ['doctor', 'server', 'usage'],
}

/** Written by a script; no other files name every agent. */
const REGISTRIES = ['agents/_registry.ts', 'agents/_loaders.ts', 'agents/_levels.ts', 'agents/_programs.ts']

/** An agent's names, which may appear as strings in its own folder only. */
export interface AgentNames {
  readonly id: string
  readonly names: readonly string[]
}

/** Of all agents except Ion's own archive, whose name is the program's and appears everywhere. */
export function namesOf(agents: readonly { readonly id: string; readonly title: string }[]): AgentNames[] {
  return agents.filter(({ id }) => id !== 'ion').map(({ id, title }) => ({ id, names: [id, title] }))
}

/** Every violation with file and line, one string each; empty when there is none. */
export function brokenWalls(files: readonly SourceFile[], agents: readonly AgentNames[]): string[] {
  return files.flatMap((file) =>
    findings(file).flatMap((finding) => {
      const reason = violation(file.path, finding, agents)
      return reason ? [`src/${file.path}:${lineAt(file.text, finding.start)} ${reason}`] : []
    }),
  )
}

/** Why it is not allowed; undefined when it is. */
function violation(path: string, finding: Finding, agents: readonly AgentNames[]): string | undefined {
  if (finding.kind === 'import') return importViolation(path, finding)
  if (isTestHelper(path) || REGISTRIES.includes(path)) return undefined
  if (finding.kind === 'print') return partOf(path) === 'cli' ? undefined : `uses ${finding.what}: only src/cli/ prints`
  const agent = agents.find(({ names }) => names.includes(finding.value))
  if (!agent || path.startsWith(`agents/${agent.id}/`)) return undefined
  return `names the agent "${finding.value}" outside src/agents/${agent.id}/`
}

function importViolation(path: string, { target, isType, isDynamic }: ImportFinding): string | undefined {
  if (/^cli\/definitions\/[^/]+\.ts$/.test(path) && !isType && !isDynamic && target !== './common.ts') {
    return `imports ${target}: a definition imports types only, since all of them are loaded at every start`
  }
  if (!target.startsWith('.')) return undefined
  const imported = resolved(path, target)
  if (isTestHelper(path) && (/^\.\.\/(test|scripts\/samples)\//.test(imported) || isTestHelper(imported)))
    return undefined
  if (imported.startsWith('..')) return `imports ${target}, which is outside src/`
  if (isTestHelper(imported)) return `imports ${imported}, which is for tests`
  const [from, to] = [partOf(path), partOf(imported)]
  if (from !== to) {
    if (walls[from]?.includes(to)) return undefined
    if (!typeWalls[from]?.includes(to)) return `imports ${imported}: ${from} may not import ${to}`
    return isType ? undefined : `imports ${imported}: ${from} may import types only from ${to}`
  }
  const [own, other] = [agentOf(path), agentOf(imported)]
  if (from === 'agents' && other !== undefined && own !== other && !REGISTRIES.includes(path)) {
    return `imports ${imported}: what two agents share belongs in src/agents/_shared/ or src/native/`
  }
  return undefined
}

/** Helpers for tests that only one agent needs are in its own folder. */
function isTestHelper(path: string): boolean {
  return /^agents\/[^/]+\/test\//.test(path)
}

function resolved(path: string, target: string): string {
  return posix.normalize(posix.join(dirname(path), target))
}

/** The folder of src/ that a file is in, or the file itself when it is in none. */
function partOf(path: string): string {
  return path.split('/')[0]!
}

function agentOf(path: string): string | undefined {
  const [, agent, file] = path.split('/')
  return file === undefined || agent === '_shared' ? undefined : agent
}

function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length
}
