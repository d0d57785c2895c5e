// Measures ion serve beside the real agentapi, with the same real agent behind both, one after the other.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Figures, FiguresTask } from './figures-worker.ts'
import { ionProgram, runInside } from './inside.ts'
import { installAgent } from './install.ts'
import { agentapiBuild, builds } from './pins.ts'

const HELP = `npm run serve-figures <agent>... [-- IDLE=<seconds>]

CPU time while the agent waits and while it answers, the time until the first words of an answer are in /events, and the
sizes of the events: of ion serve and of agentapi, in one run. Needs a quiet machine.`

const words = process.argv.slice(2)
const names = words.filter((word) => !word.includes('='))
const idle = Number(words.find((word) => word.startsWith('IDLE='))?.slice('IDLE='.length) ?? 60)
if (names.length === 0 || names.some((name) => name.startsWith('-'))) {
  console.log(HELP)
  process.exit(names[0] === '--help' ? 0 : 2)
}
const agentapi = await installAgent(agentapiBuild(), { log: console.log })
if ('unavailable' in agentapi) throw new Error(`agentapi cannot be installed: ${agentapi.unavailable}`)
console.log('| agent | server | idle CPU s/min | CPU of a turn | words after | events of a turn | largest |')
console.log('|---|---|---|---|---|---|---|')
for (const build of builds(names)) {
  const installed = await installAgent(build, { log: console.log })
  if ('unavailable' in installed) throw new Error(`${build.name} cannot be installed: ${installed.unavailable}`)
  for (const server of ['ion', 'agentapi'] as const) {
    const root = mkdtempSync(join(tmpdir(), 'ion-figures-'))
    const { name, agent } = build
    const subject = { name, agent, version: installed.version, program: installed.program, agentapi: agentapi.program }
    try {
      const task: FiguresTask = { root, subject, ion: ionProgram, server, idle }
      const { result } = await runInside<FiguresTask, Figures>('figures-worker.ts', task, { say: console.log })
      const { idleCpu, turnCpu, firstWordsMs, events, largest } = result
      const words = firstWordsMs === null ? 'only complete' : `${(firstWordsMs / 1000).toFixed(2)} s`
      const cpu = [idleCpu.toFixed(2), `${turnCpu.toFixed(2)} s`]
      console.log(`| ${name} | ${server} | ${cpu.join(' | ')} | ${words} | ${events} | ${largest} bytes |`)
    } catch (error) {
      // agentapi cannot serve every agent.
      if (server === 'ion') throw error
      console.log(`| ${name} | ${server} | could not be measured: see above | | | | |`)
    } finally {
      rmSync(root, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 })
    }
  }
}
