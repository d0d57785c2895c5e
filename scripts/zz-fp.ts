import { readFileSync } from 'node:fs'
import { createHash } from 'node:crypto'
import { Redactor } from '../src/export/redact/redactor.ts'
let lines=0, bad=0
for (const f of process.argv.slice(2)) {
  const text = readFileSync(f,'utf8'); const r=new Redactor()
  const src=text.split('\n'); lines+=src.length
  // per file in chunks of 200 lines
  for (let i=0;i<src.length;i+=200) {
    const chunk=src.slice(i,i+200).join('\n'); const out=r.redactText(chunk)
    const o=out.split('\n'), c=chunk.split('\n')
    if (o.length!==c.length) console.log('LINES', f, i)
    c.forEach((l,j)=>{ if (o[j]!==l && /\[redacted:(?!email)/.test(o[j]??'')) { bad++; if (bad<400) { const at=o[j].search(/\[redacted:(?!email)/); console.log(f.split('/').at(-1)+':'+(i+j+1), o[j].slice(Math.max(0,at-70),at+50), '  <<', l.slice(Math.max(0,at-10),at+60)) } } })
  }
}
console.log('lines',lines,'bad',bad,(bad*1000/lines).toFixed(2),'per 1000')
