// What the adapters say about their agents, as Markdown.
import { readdirSync } from 'node:fs'
import { code, table } from './markdown.mjs'

/** A machine with nothing on it, so that everybody's tables are the same. */
const nowhere = {
  env: {},
  home: '/nowhere/home',
  cwd: '/nowhere/project',
  platform: 'linux',
  now: () => new Date(0),
}

/** The agents for the README: where, and how far a resume goes. */
export function shortTable(agents, measured) {
  return table(
    ['agent', 'id', 'sessions are in', 'moved by', 'resume'],
    others(agents).map((agent) => {
      const [first] = agent.paths(nowhere)
      return [
        `[${agent.title}](src/agents/${agent.id}/README.md)`,
        code(agent.id),
        code(shown(first.path)),
        first.env.map(code).join(', ') || '-',
        measured(agent).level,
      ]
    }),
  )
}

/** All of them, for docs/agents.md. */
export function longTable(agents, measured) {
  return table(
    ['agent', 'id', 'also', 'plan for', 'resume', 'what to know about it'],
    agents.map((agent) => [
      agent.title,
      code(agent.id),
      agent.aliases.map(code).join(', '),
      `${agent.minimumBytes / 1e6} MB`,
      measured(agent).level,
      agent.resume.note,
    ]),
  )
}

/** A section per agent. */
export function sections(agents, fixturesOf = fixtureNames) {
  return agents.map((agent) => section(agent, fixturesOf(agent.id))).join('\n\n')
}

function section(agent, fixtures) {
  const retention = agent.retention?.(nowhere)
  const facts = [
    ['Program', agent.binaries.map(code).join(', ')],
    ['Install', code(agent.install)],
    ['Tested on', fixtures],
    ['Never opened', agent.secrets.map(code).join(', ')],
    ['Deletes by itself', retention && `after ${retention.days} days: ${shown(retention.setting)}`],
    ['', retention?.danger],
    ['Limits', agent.limits],
  ].filter(([, fact]) => fact)
  const paths = agent.paths(nowhere).map(({ path, what, env }) => [code(shown(path)), what, env.map(code).join(', ')])
  return [
    `### ${agent.title}`,
    table(['data', 'what is there', 'moved by'], paths),
    facts.map(([name, fact]) => `- ${name ? `${name}: ` : ''}${fact}`).join('\n'),
    `Records and events: [src/agents/${agent.id}/README.md](../src/agents/${agent.id}/README.md)`,
  ].join('\n\n')
}

/** Versions whose own files are in the tests, and what was written by hand after source or documents. */
function fixtureNames(id) {
  const names = readdirSync(new URL(`../../src/agents/${id}/fixtures/`, import.meta.url)).sort()
  const isMade = (name) => name.startsWith('handmade')
  const recorded = names.filter((name) => !isMade(name)).join(', ')
  const made = names
    .filter(isMade)
    .map((name) => name.replace('handmade-', ''))
    .join(', ')
  return [recorded && `recorded ${recorded}`, made && `made by hand: ${made}`].filter(Boolean).join('; ')
}

/** Ion's own archive is read like an agent but is none. */
function others(agents) {
  return agents.filter((agent) => agent.id !== 'ion')
}

function shown(text) {
  return text.replaceAll(nowhere.home, '~').replaceAll(nowhere.cwd, '<project>')
}
