import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A component of a CycloneDX document, as far as it is read here. */
export interface Component {
  group?: string
  name: string
  version: string
  licenses?: { expression?: string; license?: { id?: string; name?: string } }[]
}

export interface Sbom {
  metadata: { component: Record<string, unknown> }
  components: Component[]
}

/** Licences under which a library may be given to others in an image, with its text and nothing else. */
const ALLOWED = new Set([
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'CC0-1.0',
  'ISC',
  'MIT',
  'MIT-0',
  'PostgreSQL',
  'Python-2.0',
  'Unlicense',
  'Zlib',
])

/**
 * Libraries that go along as they were published, under a licence that then asks for one thing more: that everybody is
 * told where the source is. `noticesOf` does.
 */
const UNCHANGED: Readonly<Record<string, { licence: string; source: string }>> = {
  pyodide: { licence: 'MPL-2.0', source: 'https://github.com/pyodide/pyodide' },
}

/** Ours has the licence of the repository, in every package. */
const OURS = '@platform'

/** The packages of apps whose code an image of this app holds; all in one holds all, and every image holds ops. */
export const packagesIn = (app: string, services: readonly string[]): string[] =>
  app === 'all-in-one' ? [app, 'ops', ...services] : [app, 'ops']

/** What the production dependencies of some apps are, by the lockfile and the packages that are installed. */
export function sbomOf(
  root: string,
  apps: readonly string[],
  title: { name: string; version: string },
): Sbom {
  const folder = mkdtempSync(join(tmpdir(), 'sbom-'))
  try {
    const file = join(folder, 'sbom.json')
    const filters = apps.flatMap((app) => ['--filter', `${OURS}/${app}`])
    const { packageManager } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
      packageManager: string
    }
    const what = ['sbom', '--sbom-format', 'cyclonedx', '--sbom-type', 'application', '--prod', '--out', file]
    execFileSync('npx', ['--yes', '--prefer-offline', packageManager, ...filters, ...what], {
      cwd: root,
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    const sbom = JSON.parse(readFileSync(file, 'utf8')) as Sbom
    sbom.metadata.component = { ...sbom.metadata.component, ...title, group: undefined, purl: undefined }
    return sbom
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The libraries of others in a document, by name. */
export const librariesOf = ({ components }: Sbom): Component[] =>
  components.filter(({ group }) => group !== OURS).toSorted((a, b) => (fullName(a) < fullName(b) ? -1 : 1))

const fullName = ({ group, name }: Component): string => (group === undefined ? name : `${group}/${name}`)

/** A licence as a library states it: one, or an expression of several. */
const licenceOf = ({ licenses = [] }: Component): string =>
  licenses
    .map(({ expression, license }) => expression ?? license?.id ?? license?.name ?? '')
    .filter((text) => text !== '')
    .join(' AND ')

/** Sentences about libraries that may not be shipped. Of "A OR B" one is enough, of "A AND B" both are needed. */
export function licenceProblems(libraries: readonly Component[]): string[] {
  return libraries
    .filter((library) => !isAllowed(licenceOf(library)) && !isUnchanged(library))
    .map((library) => {
      const stated = licenceOf(library)
      const what = stated === '' ? 'states no licence' : `is under ${stated}`
      return `${fullName(library)} ${library.version} ${what}: choose another library, or have the licence allowed.`
    })
}

const isUnchanged = (library: Component): boolean =>
  UNCHANGED[fullName(library)]?.licence === licenceOf(library)

function isAllowed(expression: string): boolean {
  const plain = expression.replaceAll(/[()]/g, '')
  if (plain === '') return false
  return plain.split(/ AND /i).every((part) => part.split(/ OR /i).some((name) => ALLOWED.has(name.trim())))
}

/** The names, versions and licence texts of libraries, as most licences want them to go along. */
export function noticesOf(root: string, libraries: readonly Component[]): string {
  const sections = libraries.map((library) => {
    const title = `${fullName(library)} ${library.version} (${licenceOf(library)})`
    const source = UNCHANGED[fullName(library)]?.source
    const where =
      source === undefined ? '' : `It is unchanged; its source and its licence are at ${source}.\n\n`
    return `${'-'.repeat(80)}\n${title}\n\n${where}${licenceText(root, library)}`
  })
  return `Libraries of others that this image holds, and their licences.\n\n${sections.join('\n')}`
}

function licenceText(root: string, library: Component): string {
  const folder = folderOf(root, library)
  const file = folder && readdirSync(folder).find((name) => /^(licen[cs]e|copying)([.-].*)?$/i.test(name))
  if (folder === undefined || file === undefined) return 'It has no file with the text of its licence.\n'
  return `${readFileSync(join(folder, file), 'utf8').trim()}\n`
}

/** Where pnpm has unpacked a library: `.pnpm/<name>@<version>…/node_modules/<name>`. */
function folderOf(root: string, library: Component): string | undefined {
  const store = join(root, 'node_modules/.pnpm')
  const start = `${fullName(library).replace('/', '+')}@${library.version}`
  const found = readdirSync(store).find((name) => name === start || name.startsWith(`${start}_`))
  const folder = found && join(store, found, 'node_modules', fullName(library))
  return folder !== undefined && existsSync(folder) ? realpathSync(folder) : undefined
}

/** SHA-256 of a file, as statements of provenance name it. */
export const sha256Of = (file: string): string =>
  createHash('sha256').update(readFileSync(file)).digest('hex')
