// Fails when a rule of the architecture is broken, when nothing was looked at, or when a planted violation goes unseen.
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { endpointsWithoutProof } from './check-architecture/endpoints.ts'
import { sizeProblems } from './check-architecture/sizes.ts'

const problems: string[] = []
const cruiser = [
  'node_modules/dependency-cruiser/bin/dependency-cruise.mjs',
  '--config',
  '.dependency-cruiser.mjs',
  '--output-type',
  'json',
]

interface CruiseResult {
  summary: { totalCruised: number; violations: { rule: { name: string }; from: string; to: string }[] }
  modules: unknown[]
}

function cruise(...paths: string[]): CruiseResult {
  const { stdout, stderr } = spawnSync(process.execPath, [...cruiser, ...paths], {
    encoding: 'utf8',
    maxBuffer: 512 * 1024 * 1024,
  })
  try {
    return JSON.parse(stdout) as CruiseResult
  } catch {
    throw new Error(`dependency-cruiser gave no report: ${stderr.slice(0, 2000)}`)
  }
}

/** Each plant breaks one rule; a check that does not see it proves nothing. */
const plants: [rule: string, file: string, source: string][] = [
  [
    'package-kernel',
    'packages/kernel/src/planted.ts',
    "import { z } from '@platform/contracts'\nexport const planted = z\n",
  ],
  [
    'vendor-express',
    'apps/runtime/src/planted.ts',
    "import express from 'express'\nexport const planted = express\n",
  ],
  [
    'apps-stand-alone',
    'apps/events/src/planted.ts',
    "import { runtime } from '../../runtime/src/service.ts'\nexport const planted = runtime\n",
  ],
  ['no-cycles', 'packages/kernel/src/planted.ts', "export * from './planted.ts'\n"],
  [
    'sql-only-in-stores',
    'apps/events/src/event-log/planted.ts',
    "import { sql } from '@platform/database'\nexport const planted = sql\n",
  ],
]

function unseenPlants(): string[] {
  return plants.flatMap(([rule, file, source]) => {
    mkdirSync(file.slice(0, file.lastIndexOf('/')), { recursive: true })
    writeFileSync(file, source)
    try {
      const seen = cruise(file).summary.violations.some(
        (violation) => violation.rule.name === rule && violation.from === file,
      )
      return seen ? [] : [`The planted violation of "${rule}" was not seen: the check does not work.`]
    } finally {
      rmSync(file)
    }
  })
}

const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard', 'apps', 'packages'], {
  encoding: 'utf8',
}).split('\n')
const sources = files
  .filter((file) => file.endsWith('.ts'))
  .map((file) => ({ file, text: readFileSync(file, 'utf8') }))

const { summary } = cruise('apps', 'packages')
if (summary.totalCruised < 100)
  problems.push(`Only ${summary.totalCruised} modules were looked at: the check does not work.`)
for (const { rule, from, to } of summary.violations) problems.push(`${rule.name}: ${from} → ${to}`)
problems.push(...unseenPlants(), ...sizeProblems(sources), ...(await endpointsWithoutProof(sources)))

for (const problem of problems) console.error(problem)
console.log(
  `${summary.totalCruised} modules, ${plants.length} planted violations, ${problems.length} problems`,
)
process.exitCode = problems.length === 0 ? 0 : 1
