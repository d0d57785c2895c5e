import { readFileSync } from 'node:fs'
import { NAME_STEMS } from '../src/export/redact/names.ts'
import { PHRASE_STEMS } from '../src/export/redact/commands.ts'
const t = readFileSync(process.argv[2]!,'utf8').replace(/\\n/g,'\n'); const mb=t.length/1e6
function time(name:string,f:()=>any){ f(); const b=process.cpuUsage(); const n=f(); const {user,system}=process.cpuUsage(b); console.log(name, n, (mb/((user+system)/1e6)).toFixed(1),'MB/s') }
const count=(re:RegExp)=>()=>{let n=0; re.lastIndex=0; while(re.exec(t)) n++; return n}
const other=['://','----+ ?BEGIN','\\$(?:2[abxy]|[1567y]|gy|apr1|sha1|md5|argon2\\w*|scrypt|pbkdf2[\\w-]*|[PH])\\$|\\$ANSIBLE_VAULT','pbkdf2_sha|bcrypt_sha|argon2\\$|scrypt\\$|\\{(?:S?SHA|SMD5|CRYPT|PBKDF2|ARGON2)','bearer|basic ','[ \\t]-(?:[puaUPWwkKtbcAX]|-user|-proxy-user)',':(?:\\d{4,5}|\\*):','kind["\']?:\\s?["\']?Secret\\b','"kty"']
time('all', count(new RegExp([...other,...PHRASE_STEMS,...NAME_STEMS].join('|'),'gi')))
time('names', count(new RegExp(NAME_STEMS.join('|'),'gi')))
time('phrases', count(new RegExp(PHRASE_STEMS.join('|'),'gi')))
time('others', count(new RegExp(other.join('|'),'gi')))
// trie
function trie(words:string[]):string{ const m=new Map<string,string[]>(); let end=false; for(const w of words){ if(w===''){end=true;continue} const c=w[0]!; m.set(c,[...(m.get(c)??[]),w.slice(1)]) } const alts=[...m].map(([c,r])=>c.replace(/[.*+?^${}()|[\]\\]/g,'\\$&')+trie(r)); if(alts.length===0) return ''; const body=alts.length===1&&!end?alts[0]!:'(?:'+alts.join('|')+')'; return end? (alts.length? '':'')+'' : body }
const plain=[...PHRASE_STEMS,...NAME_STEMS].map(s=>s.replace('[ _-]?','_').replace('[._]','.'))
const src=trie([...new Set(plain)])
time('trie', count(new RegExp(src,'gi')))
time('trie no i', count(new RegExp(src,'g')))
const lower=t.toLowerCase()
time('lower', ()=>t.toLowerCase().length)
const firsts=[...new Set(plain.map(p=>p[0]!))].join('')
console.log(firsts, src.length)
// two-char set
const pairs=new Map<string,string>(); for(const p of plain){ pairs.set(p[0]!,(pairs.get(p[0]!)??'')+p[1]!) }
const pairSrc=[...pairs].map(([a,b])=>`[${a}${a.toUpperCase()}][${[...new Set(b+b.toUpperCase())].join('').replace(/[\]\\^-]/g,'\\$&')}]`).join('|')
time('pairs', count(new RegExp(pairSrc,'g')))
// hand: 3-gram bitmap
const tri=new Set<number>(); const bm=new Uint8Array(1<<15)
const code=(c:number)=>{ if(c>=97&&c<=122) return c-96; if(c>=65&&c<=90) return c-64; if (c===95) return 27; if(c===32) return 28; if(c===46) return 29; if (c===45) return 30; return c<128?31:0 }
const tab=new Uint8Array(65536); for(let c=0;c<65536;c++) tab[c]=code(c)
for(const p of plain){ bm[tab[p.charCodeAt(0)]!<<10|tab[p.charCodeAt(1)]!<<5|tab[p.charCodeAt(2)]!]=1 }
time('hand3', ()=>{let n=0,h=0;const L=t.length;for(let i=0;i<L;i++){h=((h<<5)|tab[t.charCodeAt(i)]!)&32767; if(bm[h]) n++} return n})
