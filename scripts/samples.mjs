// Writes samples/: the story of samples/story.mjs as sessions of every agent, each in that agent's own format. `ion demo`
// makes a home of them. The same story gives the same bytes. samples/times.json holds the files' times, which git does
// not keep.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { SampleHome } from './samples/files.mjs'
import { story } from './samples/story.mjs'

const target = fileURLToPath(new URL('../samples', import.meta.url))

rmSync(target, { recursive: true, force: true })
mkdirSync(target)
const times = {}
for (const [agent, sessions] of Object.entries(byAgent(story))) {
  const { write } = await import(`./samples/writers/${agent}.mjs`)
  const home = new SampleHome(`${target}/${agent}`)
  write(home, sessions)
  for (const [path, time] of Object.entries(home.times)) times[`${agent}/${path}`] = time
}
writeFileSync(`${target}/times.json`, `${JSON.stringify(times, null, 2)}\n`)

function byAgent(sessions) {
  const groups = {}
  for (const session of sessions) (groups[session.agent] ??= []).push(session)
  return groups
}
