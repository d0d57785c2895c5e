import { readFileSync } from 'node:fs'
import { Redactor } from '../src/export/redact/redactor.ts'
import { learnEvent, redactEvent } from '../src/export/redact/redact-event.ts'
import { viewOf } from '../src/export/redact/normalise.ts'
import { scan, scanContexts } from '../src/export/redact/scan.ts'
import { scanForms } from '../src/export/redact/scan-forms.ts'
import { scanPersons } from '../src/export/redact/persons.ts'
const events = readFileSync(process.argv[2]!,'utf8').split('\n').filter(Boolean).map(l=>JSON.parse(l)).filter((e:any)=>e.type)
const bytes = events.reduce((n:number,e:any)=>n+JSON.stringify(e).length,0)
const cpu=(n:string,f:()=>void)=>{const b=process.cpuUsage(); f(); const {user,system}=process.cpuUsage(b); console.log(n,(bytes/1e6/((user+system)/1e6)).toFixed(1),'MB/s')}
for (let k=0;k<2;k++){
const r=new Redactor(['/home/dev1'])
cpu('learn',()=>{for(const e of events) learnEvent(e,r)})
cpu('redact',()=>{for(const e of events) redactEvent(e,r)})
cpu('both',()=>{const r=new Redactor(['/home/dev1']);for(const e of events) learnEvent(e,r);for(const e of events) redactEvent(e,r)})
const texts=events.map((e:any)=>JSON.stringify(e))
cpu('view',()=>{for(const t of texts) viewOf(t)})
const views=texts.map(viewOf)
cpu('forms',()=>{for(const v of views) scanForms(v.text,[])})
cpu('contexts',()=>{for(const v of views) scanContexts(v,[])})
cpu('persons',()=>{for(const v of texts) scanPersons(v,[],[])})
console.log(r.findings.slice(0,8), bytes/1e6)
}
