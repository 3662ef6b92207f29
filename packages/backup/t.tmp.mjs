import { archiveWriter } from '/work/wt/backup/packages/backup/src/archive-writer.ts'
import { archiveEntries } from '/work/wt/backup/packages/backup/src/archive-reader.ts'
import { Readable, Writable } from 'node:stream'
import { randomBytes } from 'node:crypto'
const out=[]
const w = archiveWriter(new Writable({write(c,_,d){out.push(c);d()}}), undefined)
await w.add('a', randomBytes(300000)); await w.add('b', Buffer.from('hello'))
console.log(await w.finish())
const all = Buffer.concat(out)
for (const n of [0,1,2,5,9,20,40,1000]) { let names=[]; try { for await (const e of archiveEntries(Readable.from([all.subarray(0,all.length-n)]), {})) names.push(e.name); console.log(n,'ok',names) } catch(e) { console.log(n, e.message, String(e.cause), names) } }
const c = Buffer.from(all); c[Math.floor(c.length/3)]^=1
try { for await (const e of archiveEntries(Readable.from([c]), {})) console.log(e.name); console.log('ok?') } catch(e) { console.log(e.message, String(e.cause)) }
