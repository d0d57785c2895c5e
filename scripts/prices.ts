// Writes the table of prices that Ion ships, from LiteLLM's model_prices_and_context_window.json. Prices that changed since the
// last time keep their old row, for usage before the date.
// npm run prices -- <file> <version of LiteLLM> [date, such as 2026-11-18]
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { changedModels, convertLiteLlm } from '../src/usage/prices/convert-litellm.ts'
import { byModel, mergeTables, type PriceTable, parseTable, tableText } from '../src/usage/prices/price-table.ts'

const target = new URL('../src/usage/prices/packaged.gen.ts', import.meta.url)
const [file, version, date = new Date().toISOString().slice(0, 10)] = process.argv.slice(2)
if (file === undefined || version === undefined || !/^\d{4}-\d\d-\d\d$/.test(date)) {
  console.error('npm run prices -- model_prices_and_context_window.json 1.108.4 [2026-11-18]')
  process.exit(2)
}

const { rows, rounded } = convertLiteLlm(readFileSync(file, 'utf8'), file)
const before = shipped()
const read: PriceTable = { source: `LiteLLM ${version}`, date, rows }
const table = before ? mergeTables(before, read, date) : read
const text = tableText(table)
writeFileSync(
  target,
  `// Written by npm run prices; do not edit. The licence of the prices is in LICENCE-litellm.txt.\nexport const packagedPrices = \`${text}\`\n`,
)
const { changed, added } = changedModels(before?.rows ?? [], table.rows)
console.log(
  `${byModel(table.rows).size} models, ${changed} changed, ${added} added, ${text.length} bytes, ${rounded.length} rates rounded`,
)
for (const one of rounded) console.log(`rounded: ${one}`)

function shipped(): PriceTable | undefined {
  if (!existsSync(target)) return undefined
  const [, text] = /`([^`]+)`/.exec(readFileSync(target, 'utf8')) ?? []
  return text === undefined ? undefined : parseTable(text)
}
