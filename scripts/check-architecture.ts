// Fails when a rule of the architecture is broken, when nothing was looked at, or when a planted violation goes unseen.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'
import * as contracts from '@platform/contracts'
import { cruise } from './check-architecture/cruise.ts'
import { endpointsWithoutProof } from './check-architecture/endpoints.ts'
import { migrationProblems } from './check-architecture/migrations.ts'
import { pathProblems, unseenPathPlants } from './check-architecture/paths.ts'
import { unseenPlants } from './check-architecture/plants.ts'
import { ratchetProblems } from './check-architecture/ratchets.ts'
import { sizeProblems } from './check-architecture/sizes.ts'

interface Package {
  name: string
  exports?: Record<string, string>
}

const LEAST_MODULES = 100

/** Files of the working tree: committed or not, but never what git ignores. */
const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { encoding: 'utf8' })
  .split('\n')
  .filter((file) => existsSync(file))
const tree = files
  .filter((file) => /\.(ts|mjs|md|sql|sh|yaml|css)$/.test(file))
  .map((file) => ({ file, text: readFileSync(file, 'utf8') }))
const sources = tree.filter(({ file }) => /^(apps|packages)\/.*\.ts$/.test(file))

/** The file behind the name of each package, for example `@platform/http`. */
const entries = new Map(
  files
    .filter((file) => /^(apps|packages)\/[^/]+\/package\.json$/.test(file))
    .flatMap((file) => {
      const { name, exports = {} } = JSON.parse(readFileSync(file, 'utf8')) as Package
      return Object.entries(exports).map(([path, target]): [string, string] => [
        posix.join(name, path),
        posix.join(posix.dirname(file), target),
      ])
    }),
)

/** Paths of the migrations of the release before, without `.sql`. */
function releasedMigrations(): Set<string> {
  const list = readFileSync('e2e/fixtures/previous-version/migrations.txt', 'utf8')
  return new Set(list.split('\n').filter((line) => line !== ''))
}

const { totalCruised, violations } = cruise(['apps', 'packages'])
const problems = [
  ...(totalCruised < LEAST_MODULES
    ? [`Only ${totalCruised} modules were looked at: the check does not work.`]
    : []),
  ...violations.map(({ rule, from, to }) => `${rule.name}: ${from} → ${to}`),
  ...unseenPlants(),
  ...sizeProblems(sources),
  ...ratchetProblems(tree),
  ...migrationProblems(tree, releasedMigrations()),
  ...endpointsWithoutProof(Object.values(contracts), sources),
  ...pathProblems(readFileSync('docs/architecture.md', 'utf8'), sources, entries),
  ...unseenPathPlants(sources, entries),
]

for (const problem of problems) console.error(problem)
console.log(`${totalCruised} modules, ${sources.length} files, ${problems.length} problems`)
process.exitCode = problems.length === 0 ? 0 : 1
