// Runs the real agents under Ion against the stub model, and writes docs/proof.json and docs/compatibility.md.
import { parseArgs } from 'node:util'
import { type Cell, compareMatrix, type Matrix, mergeMatrix, readMatrix, writeMatrix } from '../handover/matrix.ts'
import { allSources } from '../handover/sources.ts'
import { installedServer, versitygw } from '../s3/servers.ts'
import { cacheFolder } from './cache-folder.ts'
import { givenPin, linkGiven, parseGiven } from './given-program.ts'
import type { HandoverTask } from './handover-worker.ts'
import { ionProgram, runInside } from './inside.ts'
import { type Installed, installAgent } from './install.ts'
import { agentapiBuild, type Build, builds, type GivenPin, versionsToProve } from './pins.ts'
import { compareProof, mergeProof, type Proof, proofOf, readProof, type StoryResults, writeProof } from './proof.ts'
import type { Subject } from './scene.ts'
import { isTarget } from './stories/handover.ts'
import { stories } from './stories/index.ts'
import type { ProofTask } from './worker.ts'

const HELP = `npm run prove [-- [handover] agent... [options]]

Installs the pinned versions of the agents (src/agents/<id>/test/pin.json) into a cache, runs them under Ion against a
stub model on loopback, and writes docs/proof.json and docs/compatibility.md. Without names: all agents.
With "handover": hands the hard sessions of every agent (test/handover) over to these agents, resumes them, compares what the
model received, and writes docs/handover.json and the table in docs/handover.md.

  --latest         prove the newest versions instead of the pinned ones; writes nothing
  --check          compare with docs/proof.json; writes nothing
  --story <name>   only this story (repeatable): ${Object.keys(stories).join(', ')}
  --source <agent>, --session <name>
                   with "handover": only sessions of this agent, only this session (repeatable)
  --until <time>   start no story after this time (seconds since 1970)
  --install        only install the agents
  --with <agent>=<program>
                   prove this program instead of installing one (repeatable); for agents that are in no registry
  --keep           keep the scratch folders
  --json           print the proof as JSON
  -h, --help       show this help

ION_PROVE_CACHE moves the cache.`

const { values: options, positionals: words } = readArguments()
const isHandover = words[0] === 'handover'
const positionals = isHandover ? words.slice(1) : words
const given = readGiven()
const say = (line: string): void => console[options.json ? 'error' : 'log'](line)

if (options.help) console.log(HELP)
else {
  const { subjects, unavailable } = await install(chosenBuilds())
  if (!options.install) {
    process.exitCode = isHandover ? await proveHandover(subjects) : await prove(subjects, unavailable)
  }
}

function readArguments() {
  try {
    const parsed = parseArgs({
      allowPositionals: true,
      options: {
        latest: { type: 'boolean', default: false },
        json: { type: 'boolean', default: false },
        check: { type: 'boolean', default: false },
        until: { type: 'string' },
        install: { type: 'boolean', default: false },
        story: { type: 'string', multiple: true, default: [] },
        source: { type: 'string', multiple: true, default: [] },
        session: { type: 'string', multiple: true, default: [] },
        with: { type: 'string', multiple: true, default: [] },
        keep: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    })
    const unknown = parsed.values.story.find((name) => !(name in stories))
    if (unknown !== undefined) throw new Error(`no story "${unknown}"; known: ${Object.keys(stories).join(', ')}`)
    if (parsed.values.until !== undefined && !Number.isFinite(Number(parsed.values.until))) {
      throw new Error('--until takes seconds since 1970')
    }
    return parsed
  } catch (error) {
    return usageError(error)
  }
}

function chosenBuilds(): Build[] {
  try {
    return builds(positionals)
  } catch (error) {
    return usageError(error)
  }
}

function readGiven(): ReadonlyMap<string, string> {
  try {
    return parseGiven(options.with, builds())
  } catch (error) {
    return usageError(error)
  }
}

function usageError(error: unknown): never {
  console.error(`prove: ${(error as Error).message}\n  -> npm run prove -- --help`)
  process.exit(2)
}

/** With the machine's own network settings. */
async function install(chosen: readonly Build[]): Promise<{
  subjects: Subject[]
  unavailable: Record<string, string>
}> {
  const subjects: Subject[] = []
  const unavailable: Record<string, string> = {}
  const isAny = chosen.some(({ name, pin }) => given.has(name) || !('unavailable' in pin))
  const agentapi = isAny ? await installAgent(agentapiBuild(), { log: say }) : { unavailable: 'not needed' }
  if (isAny && 'unavailable' in agentapi) say(`agentapi: ${agentapi.unavailable}; its scenario is skipped`)
  const s3Server = await installedServer(versitygw)
  if (isAny && !s3Server && !options.install)
    say('versitygw: not installed (npm run s3-servers installs it); "no volume" uses a folder as its store')
  const add = ({ name, agent }: Build, pin: GivenPin, { version, program }: Installed, isGiven = false): void => {
    const { tools, tokens, service, stories } = pin
    subjects.push({
      name,
      agent,
      version,
      program,
      ...(isGiven ? { given: true } : {}),
      ...('unavailable' in agentapi ? {} : { agentapi: agentapi.program }),
      ...(s3Server === undefined ? {} : { s3Server }),
      ...(tools === false ? { tools } : {}),
      ...(tokens === false ? { tokens } : {}),
      ...(service === false ? { service } : {}),
      ...(stories ? { stories } : {}),
    })
  }
  for (const build of chosen) {
    const { name, pin } = build
    const path = given.get(name)
    if (path !== undefined) {
      add(build, givenPin(build)!, await linkGiven(build, path, cacheFolder()).catch(usageError), true)
      continue
    }
    if ('unavailable' in pin) {
      unavailable[name] = pin.unavailable
      const how = pin.given ? `; skipped without --with ${name}=<program>` : ''
      if (positionals.length || pin.given) say(`${name}: ${pin.unavailable}${how}`)
      continue
    }
    for (const version of versionsToProve(build, { latest: options.latest })) {
      const installed = await installAgent(build, { ...(version ? { version } : {}), latest: options.latest, log: say })
      if ('unavailable' in installed) {
        unavailable[name] = installed.unavailable
        say(`${name}: ${installed.unavailable}`)
        continue
      }
      if (options.latest && !pin.versions.includes(installed.version)) {
        say(`${name}: ${pin.versions[0]} is pinned, ${installed.version} is the newest`)
      }
      add(build, pin, installed)
    }
  }
  return { subjects, unavailable }
}

async function prove(subjects: Subject[], unavailable: Record<string, string>): Promise<number> {
  const until = options.until === undefined ? {} : { until: Number(options.until) * 1000 }
  const task: ProofTask = { subjects, ion: ionProgram, only: options.story, keep: options.keep, ...until }
  const nothing = { result: {}, isolated: true }
  const { result, isolated } = subjects.length
    ? await runInside<ProofTask, Record<string, StoryResults>>('worker.ts', task, { say, quiet: options.json })
    : nothing
  const proof = proofOf({ subjects, unavailable, results: result, isolated })
  if (options.json) console.log(JSON.stringify(proof))
  return finish(proof)
}

/** Each source in each target that is written to. */
async function proveHandover(installed: readonly Subject[]): Promise<number> {
  const { source: sources, session: sessions, keep } = options
  const subjects = installed.filter(isTarget)
  const task: HandoverTask = { subjects, sources, sessions, ion: ionProgram, keep }
  const { result: cells, isolated } = await runInside<HandoverTask, Cell[]>('handover-worker.ts', task, {
    say,
    quiet: options.json,
  })
  const own = (await allSources()).filter(({ agent }) => cells.some(({ source }) => source === agent.id))
  const now: Matrix = {
    isolated,
    cells,
    cannot: Object.fromEntries(own.map(({ agent, cannot }) => [agent.id, cannot])),
  }
  if (options.json) console.log(JSON.stringify(now))
  const all = cells.flatMap(({ sessions }) => Object.values(sessions))
  const failed = all.filter((one) => one.failed !== undefined).length
  const differences = options.check ? compareMatrix(readMatrix(), now) : []
  for (const line of differences) say(`worse than in docs/handover.json: ${line}`)
  if (!options.check && !options.latest) {
    writeMatrix(mergeMatrix(readMatrix(), now))
    say('docs/handover.json is written; npm run generate writes the table')
  }
  const bad = options.check ? differences.length : failed
  say(`prove: ${all.length - bad} passed, ${bad} failed`)
  return bad ? 1 : 0
}

/** The exit code. */
function finish(proof: Proof): number {
  const all = proof.agents.flatMap(({ scenarios }) => Object.values(scenarios))
  const failed = all.filter(({ ok }) => !ok).length
  if (all.length === 0) {
    say('prove: nothing ran: none of these agents could be installed, no story applies to them, or time was up')
    // For CI, what the registries do not have is skipped.
    return options.check ? 0 : 1
  }
  if (options.check) {
    const differences = compareProof(readProof(), proof)
    for (const line of differences) say(`differs from docs/proof.json: ${line}`)
    const ignored = Math.max(0, failed - differences.length)
    if (ignored) say(`${ignored} scenarios under agentapi failed this time and are not counted`)
    say(`prove: ${all.length - differences.length - ignored} passed, ${differences.length} failed`)
    return differences.length ? 1 : 0
  }
  if (!options.latest) writeProof(mergeProof(readProof(), proof, options.story.length > 0))
  say(`prove: ${all.length - failed} passed, ${failed} failed`)
  return failed ? 1 : 0
}
