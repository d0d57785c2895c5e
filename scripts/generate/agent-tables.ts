// What the adapters say about their agents, as Markdown.
import { readdirSync } from 'node:fs'
import type { Agent } from '../../src/agents/agent.ts'
import type { measuredLevel } from '../../src/agents/level.ts'
import type { Io } from '../../src/platform/io.ts'
import { promptChannel } from '../../src/run/prompt-channel.ts'
import { code, table } from './markdown.ts'

/** What the proof says of an agent. */
export interface Measured {
  readonly level: typeof measuredLevel
  /** Undefined where it was not measured. */
  readonly withoutVolume: (agent: string) => boolean | undefined
}

/** A machine with nothing on it, so that everybody's tables are the same. */
const nowhere: Io = {
  env: {},
  home: '/nowhere/home',
  cwd: '/nowhere/project',
  platform: 'linux',
  now: () => new Date(0),
}

/** The agents for the README: where, and how far a resume goes. */
export function shortTable(agents: readonly Agent[], measured: Measured): string {
  return table(
    ['agent', 'id', 'sessions are in', 'moved by', 'resume', 'without a volume'],
    others(agents).map((agent) => {
      const [first] = agent.paths(nowhere)
      return [
        `[${agent.title}](src/agents/${agent.id}/README.md)`,
        code(agent.id),
        code(shown(first?.path ?? '')),
        first?.env.map(code).join(', ') || '-',
        measured.level(agent).level,
        yesOrNo(measured.withoutVolume(agent.id)),
      ]
    }),
  )
}

/** All of them, for docs/agents.md. */
export function longTable(agents: readonly Agent[], measured: Measured): string {
  return table(
    ['agent', 'id', 'also', 'disk to reserve', 'resume', 'without a volume', 'what to know about it'],
    agents.map((agent) => [
      agent.title,
      code(agent.id),
      agent.aliases.map(code).join(', '),
      `${agent.minimumBytes / 1e6} MB`,
      measured.level(agent).level,
      yesOrNo(measured.withoutVolume(agent.id)),
      agent.resume.note,
    ]),
  )
}

/** How each agent gets its prompt, for docs/running.md. */
export function promptTable(agents: readonly Agent[]): string {
  return table(
    ['agent', '`--headless`', 'terminal, `--detach`', 'other users can read it'],
    others(agents).flatMap((agent) => {
      const [headless, terminal] = [
        promptChannel(agent, 'headless', nowhere),
        promptChannel(agent, 'terminal', nowhere),
      ]
      if (!headless || !terminal) return []
      return [[agent.title, headless, terminal, terminal === 'argument' ? 'in a terminal and with `--detach`' : 'no']]
    }),
  )
}

/** The validation of the Coder module's variable: the agents that can be started. */
export function terraformAgents(agents: readonly Agent[]): string[] {
  const ids = others(agents).map(({ id }) => id)
  return [
    'condition = contains([',
    `  ${ids.map((id) => `"${id}"`).join(', ')}`,
    '], var.agent)',
    `error_message = "agent must be one of: ${ids.join(', ')}."`,
  ]
}

/** A section per agent. */
export function sections(agents: readonly Agent[]): string {
  return agents.map((agent) => section(agent, fixtureNames(agent.id))).join('\n\n')
}

function section(agent: Agent, fixtures: string): string {
  const retention = agent.retention?.(nowhere)
  const facts: readonly [string, string | undefined][] = [
    ['Program', agent.binaries.map(code).join(', ')],
    ['Install', code(agent.install)],
    ['Tested on', fixtures],
    ['Credentials in', agent.secrets.map(code).join(', ')],
    ['Deletes on its own', retention && `after ${retention.days} days: ${shown(retention.setting)}`],
    ['', retention?.danger],
    ['Limits', agent.limits],
  ]
  const paths = agent.paths(nowhere).map(({ path, what, env }) => [code(shown(path)), what, env.map(code).join(', ')])
  return [
    `### ${agent.title}`,
    table(['data', 'what is there', 'moved by'], paths),
    facts
      .filter(([, fact]) => fact)
      .map(([name, fact]) => `- ${name ? `${name}: ` : ''}${fact}`)
      .join('\n'),
    `Records and events: [src/agents/${agent.id}/README.md](../src/agents/${agent.id}/README.md)`,
  ].join('\n\n')
}

/** Recorded versions in the tests, and what was made by hand from source or documents. */
function fixtureNames(id: string): string {
  const names = readdirSync(new URL(`../../src/agents/${id}/fixtures/`, import.meta.url)).sort()
  const isMade = (name: string): boolean => name.startsWith('handmade')
  const recorded = names.filter((name) => !isMade(name)).join(', ')
  const made = names
    .filter(isMade)
    .map((name) => name.replace('handmade-', ''))
    .join(', ')
  return [recorded && `recorded ${recorded}`, made && `made by hand: ${made}`].filter(Boolean).join('; ')
}

/** Ion's own archive is read like an agent but is not one. */
function others(agents: readonly Agent[]): Agent[] {
  return agents.filter((agent) => !agent.isArchive)
}

function yesOrNo(value: boolean | undefined): string {
  return value === undefined ? '-' : value ? 'yes' : 'no'
}

function shown(text: string): string {
  return text.replaceAll(nowhere.home, '~').replaceAll(nowhere.cwd, '<project>')
}
