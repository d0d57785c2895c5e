// Writes samples/: each agent's part of the story, in that agent's own format. `ion demo` makes a home of it. The same
// story gives the same bytes. samples/times.json has the files' times, which git does not keep.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { SampleHome } from './samples/sample-home.ts'
import { samples } from './samples/samples.ts'
import { writeSample } from './samples/write-sample.ts'

const target = fileURLToPath(new URL('../samples', import.meta.url))

rmSync(target, { recursive: true, force: true })
mkdirSync(target)
const times: Record<string, string> = {}
for (const [agent, sample] of await samples()) {
  const home = new SampleHome(`${target}/${agent}`)
  writeSample(agent, sample, home)
  for (const [path, time] of Object.entries(home.times)) times[`${agent}/${path}`] = time
}
writeFileSync(`${target}/times.json`, `${JSON.stringify(times, null, 2)}\n`)
