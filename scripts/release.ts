// Prepares a release, and describes what it ships: docs/releasing.md.
import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { serviceNames } from '@platform/contracts'
import { type Changeset, nextVersion, sectionOf, withSection } from './release/changelog.ts'
import {
  librariesOf,
  licenceProblems,
  noticesOf,
  packagesIn,
  sbomOf,
  sha256Of,
} from './release/what-ships.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const inRoot = (path: string) => join(root, path)
const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim()

const MANIFEST = inRoot('package.json')
const versionOf = () => (JSON.parse(readFileSync(MANIFEST, 'utf8')) as { version: string }).version

/** Gathers the changesets into CHANGELOG.md, raises the version, and deletes them. */
function prepare(): void {
  const folder = inRoot('.changeset')
  const names = readdirSync(folder).filter((file) => file.endsWith('.md') && file !== 'README.md')
  if (names.length === 0)
    throw new Error('There is no changeset: nothing has changed that somebody would notice.')
  const changesets: Changeset[] = names
    .toSorted()
    .map((file) => ({ name: file.slice(0, -3), text: readFileSync(join(folder, file), 'utf8') }))
  const version = nextVersion(versionOf(), changesets)
  const section = sectionOf(version, new Date().toISOString().slice(0, 10), changesets)
  const changelog = inRoot('CHANGELOG.md')
  writeFileSync(changelog, withSection(readFileSync(changelog, 'utf8'), section))
  writeFileSync(MANIFEST, readFileSync(MANIFEST, 'utf8').replace(/("version": )"[^"]+"/, `$1"${version}"`))
  for (const file of names) rmSync(join(folder, file))
  console.log(
    `${version}: ${names.length} changes are in CHANGELOG.md. Run "npm run generate", read it, commit.`,
  )
}

interface Subject {
  name: string
  digest: Record<string, string>
}

/** Writes for each image what it holds, with licences, and one statement where all of it comes from. */
function describe(folder: string, images: readonly string[]): void {
  mkdirSync(folder, { recursive: true })
  const subjects: Subject[] = images.map(imageSubject)
  const problems = new Set<string>()
  for (const app of ['all-in-one', ...serviceNames]) {
    const title = { name: `platform/${app}`, version: versionOf() }
    const sbom = sbomOf(root, packagesIn(app, serviceNames), title)
    const libraries = librariesOf(sbom)
    for (const problem of licenceProblems(libraries)) problems.add(problem)
    const files = {
      [`${app}.cdx.json`]: `${JSON.stringify(sbom, null, 2)}\n`,
      [`${app}.licences.txt`]: noticesOf(root, libraries),
    }
    for (const [name, text] of Object.entries(files)) {
      writeFileSync(join(folder, name), text)
      subjects.push({ name, digest: { sha256: sha256Of(join(folder, name)) } })
    }
    console.log(`${app}: ${libraries.length} libraries`)
  }
  writeFileSync(join(folder, 'provenance.intoto.json'), `${JSON.stringify(statementOf(subjects), null, 2)}\n`)
  if (problems.size > 0) throw new Error([...problems].join('\n'))
}

function imageSubject(image: string): Subject {
  const [, name, sha256] = /^(.+)@sha256:([0-9a-f]{64})$/.exec(image) ?? []
  if (name === undefined || sha256 === undefined)
    throw new Error(`An image is given with its digest, <name>@sha256:<64 digits>, not as "${image}".`)
  return { name, digest: { sha256 } }
}

/** An in-toto statement with SLSA provenance v1; who signs it vouches for it. */
function statementOf(subject: readonly Subject[]) {
  if (git('status', '--porcelain') !== '')
    throw new Error('The checkout has changes: a release is made of a commit.')
  const commit = git('rev-parse', 'HEAD')
  const files = ['pnpm-lock.yaml', 'deploy/images/Dockerfile']
  return {
    _type: 'https://in-toto.io/Statement/v1',
    subject,
    predicateType: 'https://slsa.dev/provenance/v1',
    predicate: {
      buildDefinition: {
        buildType: 'https://mobyproject.org/buildkit@v1',
        externalParameters: { version: versionOf(), dockerfile: 'deploy/images/Dockerfile' },
        resolvedDependencies: [
          { uri: 'git+checkout', digest: { gitCommit: commit } },
          ...files.map((name) => ({ name, digest: { sha256: sha256Of(inRoot(name)) } })),
        ],
      },
      runDetails: {
        builder: { id: 'scripts/release.ts' },
        metadata: { finishedOn: new Date().toISOString() },
      },
    },
  }
}

const [command, ...given] = process.argv.slice(2)
try {
  if (command === 'prepare') prepare()
  else if (command === 'describe' && given[0] !== undefined) describe(given[0], given.slice(1))
  else throw new Error('Write "prepare", or "describe <folder> [image@sha256:…]": docs/releasing.md.')
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
