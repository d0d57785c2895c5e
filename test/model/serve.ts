// The stub model by hand: node test/model/serve.mjs --port 8787 [--log requests.jsonl] [--raw folder] [--script steps.json]
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { startModel } from './server.ts'

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '8787' },
    log: { type: 'string' },
    raw: { type: 'string' },
    script: { type: 'string' },
  },
})
const model = await startModel({
  port: Number(values.port),
  ...(values.log ? { logFile: values.log } : {}),
  ...(values.raw ? { rawFolder: values.raw } : {}),
  ...(values.script ? { script: JSON.parse(readFileSync(values.script, 'utf8')) } : {}),
})
console.log(model.url)
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => model.close())
