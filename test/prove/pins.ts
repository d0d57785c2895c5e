// Which builds of which agents the proof installs: src/agents/<id>/test/pin.json.
import { readFileSync } from 'node:fs'
import { agentsWith } from '../../scripts/agent-folders.ts'

/** A package at exact versions, and what the scenarios must know about the agent in it. */
export interface Pin {
  from: 'npm' | 'pip' | 'go'
  /** With `{os}` and `{cpu}` where each platform has its own package. */
  package: string
  /** The command's name. */
  program: string
  /** All are proven; the first is the default. */
  versions: string[]
  /** Path in the package, where it declares no command of that name. For Go, of the command's own package. */
  binary?: string
  /** What it is started with to see whether it works; `--version` if not given. */
  check?: string
  /** Why the package's own install script must run; no other script runs. */
  ownScript?: string
  /** An old build that is kept on purpose: `--latest` does not replace it. */
  frozen?: boolean
  /** Version of Node.js (npm package `node`) that it needs, when that is newer than the oldest one Ion runs on. */
  node?: string
  /** It has no tools to call. */
  tools?: false
  /** It stores no exact token counts. */
  tokens?: false
  /** Its turns need a service that the stub model cannot replace. */
  service?: false
  /** Stories that are only for some agents. */
  stories?: string[]
}

/** Why an agent cannot be installed here. */
export interface Unavailable {
  unavailable: string
  /** It is proven where somebody gives its program (`--with`). */
  given?: GivenPin
}

/** What the scenarios must know about an agent whose program is given. */
export type GivenPin = Pick<Pin, 'program' | 'tools' | 'tokens' | 'service' | 'stories'>

/** One build of an agent; most agents have one. */
export interface Build {
  /** The agent's id, unless it has several builds. */
  name: string
  agent: string
  pin: Pin | Unavailable
}

type PinFile = NamedPin | NamedPin[] | Unavailable
type NamedPin = Pin & { name?: string }

/** Of all agents, or of those named by id or by build. */
export function builds(names: readonly string[] = []): Build[] {
  const all = agentsWith('test/pin.json').flatMap(({ id, url }) =>
    pinsIn(url).map((pin): Build => ({ name: ('name' in pin ? pin.name : undefined) ?? id, agent: id, pin })),
  )
  const unknown = names.find((name) => !all.some((build) => isNamed(build, name)))
  if (unknown !== undefined) {
    throw new Error(`no agent "${unknown}" has a test/pin.json; known: ${all.map(({ name }) => name).join(', ')}`)
  }
  return names.length ? all.filter((build) => names.some((name) => isNamed(build, name))) : all
}

/** AgentAPI, under which the agents run in one story. */
export function agentapiBuild(): Build {
  const [pin] = pinsIn(new URL('agentapi.json', import.meta.url))
  if (!pin) throw new Error('agentapi.json is empty')
  return { name: 'agentapi', agent: 'agentapi', pin }
}

function isNamed({ name, agent }: Build, wanted: string): boolean {
  return name === wanted || agent === wanted
}

function pinsIn(url: URL): (NamedPin | Unavailable)[] {
  const file = JSON.parse(readFileSync(url, 'utf8')) as PinFile
  return Array.isArray(file) ? file : [file]
}

/** The versions to prove; `undefined` means the newest one. */
export function versionsToProve({ pin }: Build, { latest = false } = {}): (string | undefined)[] {
  if ('unavailable' in pin) return []
  return latest && !pin.frozen ? [undefined] : pin.versions
}

export function packageName(
  pin: Pin,
  { platform = process.platform as string, arch = process.arch as string } = {},
): string {
  return pin.package.replace('{os}', platform).replace('{cpu}', arch)
}
