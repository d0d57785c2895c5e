import { Redactor } from '../src/export/redact/redactor.ts'
import { strengthOf } from '../src/export/redact/names.ts'
for (const t of process.argv.slice(2)) console.log(JSON.stringify(new Redactor().redactText(t)), strengthOf(t))
