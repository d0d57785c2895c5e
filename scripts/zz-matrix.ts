import { Random, secretKinds } from '/tmp/w/redact/test/support/secret-kinds.ts'
import { Redactor } from '/tmp/w/redact/src/export/redact/redactor.ts'
import { redactEvent, learnEvent } from '/tmp/w/redact/src/export/redact/redact-event.ts'
const base = { id: 'e1', parent_id: null, timestamp: '2026-03-01T10:00:00.000Z', seq: 1 } as const
const colour=(t:string,s:string)=>t.replace(s,()=>s.split('\n').map(l=>`\u001b[1;32m${l}\u001b[0m`).join('\n'))
export const places: Record<string,(t:string,s:string)=>any> = {
  prompt: (t)=>({...base,type:'user',content:`Please look at this:\n${t}\nand go on.`}),
  output: (t)=>({...base,type:'tool_result',tool_use_id:'c1',is_error:false,content:[{type:'text',text:`$ run\n${t}\ndone`}]}),
  input: (t)=>({...base,type:'tool_use',name:'Bash',input:{command:t,description:'x'}}),
  diff: (t)=>({...base,type:'tool_use',name:'Edit',input:{diff:`@@ -1,3 +1,4 @@\n context\n${t.split('\n').map(l=>`+${l}`).join('\n')}\n context`}}),
  nested: (t,s)=>({...base,type:'tool_result',tool_use_id:'c1',is_error:false,content:JSON.stringify({output:JSON.stringify({log:colour(t,s)})})}),
}
const only = process.argv[2]
let total=0, miss=0; const perKind=new Map<string,string[]>()
for (const k of secretKinds) {
  if (only && !k.name.includes(only)) continue
  for (const [p,mk] of Object.entries(places)) for (let seed=1;seed<=3;seed++) {
    const {text,secret}=k.make(new Random(seed*7919+k.name.length*31))
    const r=new Redactor(); const ev=mk(text,secret); learnEvent(ev,r); const out=JSON.stringify(redactEvent(ev,r))
    total++
    const flat=(x:string)=>x.replace(/\\+[nr]/g,'\n').replace(/\\+/g,'')
    const lines=secret.replace(/\\n/g,'\n').split('\n').filter(l=>!l.startsWith('-----'))
    if (lines.some(l=>flat(out).includes(flat(l)))) { miss++; const l=perKind.get(k.name)??[]; if(l.length<30) l.push(p+seed); perKind.set(k.name,l); if (only) console.log(p, JSON.stringify(text), '\n   ->', out) }
    else if (only && process.argv[3]) console.log(out)
  }
}
console.log(total, 'missed', miss, (100*(1-miss/total)).toFixed(2)+'%', 'kinds', secretKinds.length)
for (const [k,l] of perKind) { console.log(k, '::', l.join(' ')); if(!only){const {text}=secretKinds.find(x=>x.name===k)!.make(new Random(Number(l[0].at(-1))*7919+k.length*31)); console.log('      ', JSON.stringify(text).slice(0,150)) } }
