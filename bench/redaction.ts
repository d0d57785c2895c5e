/** How well `ion share` masks: recall by place, false positives, speed. `npm run redaction`; see docs/sharing.md. */

import { Redactor } from '../src/export/redact/redactor.ts'
import { commandKinds } from '../test/support/command-kinds.ts'
import { cpuSeconds } from '../test/support/cpu-time.ts'
import { maskedLines, ordinaryLines, projectLines } from '../test/support/ordinary-lines.ts'
import { secretKinds } from '../test/support/secret-kinds.ts'
import { placeNames, remaining } from '../test/support/secret-places.ts'
import { serviceKinds } from '../test/support/service-kinds.ts'

const SEEDS = Array.from({ length: 8 }, (_, index) => 7919 * (index + 1))
const lists = { 'kinds with rules': secretKinds, 'commands and code': commandKinds, services: serviceKinds }

console.log(
  `| place | ${Object.entries(lists)
    .map(([name, kinds]) => `${name} (${kinds.length})`)
    .join(' | ')} |`,
)
console.log(
  `| --- | ${Object.keys(lists)
    .map(() => '---')
    .join(' | ')} |`,
)
const missed = Object.values(lists).map((kinds) =>
  kinds.flatMap((kind) => SEEDS.flatMap((seed) => remaining(kind, seed))),
)
for (const place of placeNames) {
  const shares = Object.values(lists).map((kinds, at) => {
    const count = missed[at]!.filter((one) => one === place).length
    return `${((1 - count / (kinds.length * SEEDS.length)) * 100).toFixed(1)} %`
  })
  console.log(`| ${place} | ${shares.join(' | ')} |`)
}

const files = projectLines()
const lines = files.flat()
const found = files.flatMap(maskedLines).length
console.log(
  `\nmasked lines of this project: ${found} of ${lines.length}, ${((found / lines.length) * 1000).toFixed(2)} in 1,000`,
)
const generated = ordinaryLines(1000)
console.log(`masked lines of generated ones: ${maskedLines(generated).length} of ${generated.length}`)

const texts = files.map((file) => file.join('\n'))
const size = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0) / 1e6
for (const run of ['first', 'second', 'third']) {
  const seconds = cpuSeconds(() => {
    for (const text of texts) new Redactor().redactText(text)
  })
  console.log(`speed, ${run} run: ${(size / seconds).toFixed(0)} MB/s of CPU time, ${size.toFixed(1)} MB`)
}
