// node scripts/measure-house.mjs [folder of another checkout]: how large the house is, and what it still has to lose.
import './set-up/require-node.mjs'
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  citations,
  shippedLines,
  smallFiles,
  testSupportInSource,
  twoWayFolders,
  wideLines,
  wireFiles,
} from './check-architecture/house.ts'

const folder = process.argv[2] ?? '.'
const files = execFileSync('git', ['-C', folder, 'ls-files', '-co', '--exclude-standard'], {
  encoding: 'utf8',
})
const sources = files
  .split('\n')
  .filter((file) => /\.(ts|mjs|md|sql|sh|yaml|css)$/.test(file) && existsSync(join(folder, file)))
  .map((file) => ({ file, text: readFileSync(join(folder, file), 'utf8') }))

const table = [
  ['files of 20 lines or less that ship', smallFiles(sources).length],
  ['lines wider than 120 columns (*.ts, *.mjs)', wideLines(sources).length],
  ['wire-* files', wireFiles(sources).length],
  ['citations of what is not in the repository', citations(sources).length],
  ['files of test support in src', testSupportInSource(sources).length],
  ['pairs of folders that import each other', twoWayFolders(sources).length],
  ['lines that ship', shippedLines(sources)],
]
/** How many files the page lists that a request, an event or a run passes through. */
const page = readFileSync(join(folder, 'docs/architecture.md'), 'utf8')
for (const section of page.split(/^## (?=Follow )/m).slice(1)) {
  const steps = section.split(/^## /m)[0]?.match(/^\d+\. `[^`]+\.ts`/gm) ?? []
  if (steps.length > 0) table.push([`files on the way “${section.split('\n')[0]}”`, steps.length])
}
for (const [what, count] of table) console.log(`${String(count).padStart(8)}  ${what}`)
