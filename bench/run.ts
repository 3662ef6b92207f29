import { availableParallelism } from 'node:os'
import { cases, parts } from './cases.ts'
import { type Figure, isOk, table } from './measure/figure.ts'

const asked = process.argv.slice(2).filter((argument) => !argument.startsWith('--'))
const json = process.argv.includes('--json')
const known = { ...cases, ...parts }
const unknown = asked.filter((name) => !(name in known))
if (unknown.length > 0) {
  console.error(`There is no bench "${unknown.join(', ')}": choose from ${Object.keys(known).join(', ')}.`)
  process.exit(1)
}

const figures: Figure[] = []
for (const name of asked.length > 0 ? asked : Object.keys(cases)) {
  console.error(`${name} …`)
  figures.push(...((await known[name]?.()) ?? []))
}

if (json) for (const figure of figures) console.log(JSON.stringify({ ...figure, ok: isOk(figure) }))
else console.log(`\n${table(figures)}\n\n${availableParallelism()} cores, Node ${process.version}`)
process.exitCode = figures.every(isOk) ? 0 : 1
