import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fingerprint } from './fingerprint.mjs'
import { inRoot } from './paths.mjs'
import { Problem } from './problem.mjs'
import { run } from './run.mjs'
import { say } from './say.mjs'
import { isWritable } from './writable.mjs'

/** The main file of all in one. */
export const program = 'apps/all-in-one/src/main.ts'

const folder = 'dist/start'
// A platform that is running may still start processes from the bundle that it was started from.
const keptBundles = 3

/**
 * The main file of a bundle of all in one as the sources are now (docs/adr/0091), made where there is none yet. Who may
 * not write into the clone gets the sources.
 */
export async function bundledProgram(stops, node) {
  const bundle = join(folder, sourcesDigest())
  if (!existsSync(inRoot(bundle)) && !(await isMade(stops, node, bundle))) return program
  return join(bundle, 'main.js')
}

async function isMade(stops, node, bundle) {
  if (!mayWrite()) {
    say(
      "The sources run as they are, because this user can't write a bundle of them: that takes more memory.",
    )
    return false
  }
  say('Bundling the sources; this is needed once, and again when they change.')
  const unfinished = `${bundle}.${process.pid}`
  const code = await run(stops, node, ['scripts/bundle.ts', 'all-in-one', '--into', unfinished])
  if (code !== 0)
    throw new Problem("The sources can't be bundled, as said above: `npm run dev` runs them as they are.")
  moveInPlace(inRoot(unfinished), inRoot(bundle))
  removeOldBundles()
  return true
}

function mayWrite() {
  try {
    mkdirSync(inRoot(folder), { recursive: true })
    return isWritable(inRoot(folder))
  } catch {
    return false
  }
}

/** Another process may have made the same one meanwhile. */
function moveInPlace(unfinished, bundle) {
  try {
    renameSync(unfinished, bundle)
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true })
    if (!existsSync(bundle)) throw error
  }
}

function removeOldBundles() {
  const changedAt = (name) => statSync(inRoot(folder, name), { throwIfNoEntry: false })?.mtimeMs ?? 0
  const newestFirst = readdirSync(inRoot(folder)).sort((a, b) => changedAt(b) - changedAt(a))
  for (const name of newestFirst.slice(keptBundles))
    rmSync(inRoot(folder, name), { recursive: true, force: true })
}

/** Equal digests mean equal bundles: of the packages, of our sources and of what is read beside them. */
function sourcesDigest() {
  const hash = createHash('sha256').update(fingerprint())
  for (const file of ['apps', 'packages', 'scripts/bundle.ts', 'scripts/bundle'].flatMap(filesIn))
    hash.update(`\n${file}\n`).update(readFileSync(inRoot(file)))
  return hash.digest('hex').slice(0, 16)
}

const isOutside = (name) =>
  name.startsWith('.') || name === 'node_modules' || name === 'test' || name.endsWith('.test.ts')

function filesIn(path) {
  if (!statSync(inRoot(path)).isDirectory()) return [path]
  return readdirSync(inRoot(path), { withFileTypes: true })
    .filter(({ name }) => !isOutside(name))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => (entry.isDirectory() ? filesIn(`${path}/${entry.name}`) : [`${path}/${entry.name}`]))
}
