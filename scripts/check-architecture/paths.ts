import { posix } from 'node:path'

interface Source {
  file: string
  text: string
}

/** A numbered list of files in the order in which a request, an event or a run passes through them. */
interface Path {
  /** The heading it stands under. */
  heading: string
  /** What each item begins with; undefined for an item that names no file. */
  files: (string | undefined)[]
}

/** What stands in front of each section whose list is one of these. */
const FOLLOW = /^## (?=Follow )/m
const ITEM = /^\d+\. (?:`([^`]+\.ts)`)?/gm

/**
 * The numbered lists in the sections "Follow …" of a page whose first item begins with a file in backticks. Each file
 * must exist, and each but the first must import one that stands before it, or be imported by one. `entries` are the
 * files behind the names of packages, for example `@platform/http`. Answers sentences.
 */
export function pathProblems(
  page: string,
  sources: readonly Source[],
  entries: ReadonlyMap<string, string>,
): string[] {
  const paths = pathsOf(page)
  if (paths.length === 0) return ['No list of files was found to follow: the check does not work.']
  const imports = new Imports(sources, entries)
  return paths.flatMap((path) => problemsOf(path, imports))
}

const pathsOf = (page: string): Path[] =>
  page
    .split(FOLLOW)
    .slice(1)
    .map((section) => {
      const [text = ''] = section.split(/^## /m)
      const heading = text.slice(0, text.indexOf('\n'))
      return { heading, files: [...text.matchAll(ITEM)].map(([, file]) => file) }
    })
    .filter(({ files }) => files[0] !== undefined)

function problemsOf({ heading, files }: Path, imports: Imports): string[] {
  return files.flatMap((file, index) => {
    const where = `"${heading}" in docs/architecture.md, item ${index + 1}`
    if (file === undefined) return [`${where}: begin it with a file in backticks.`]
    if (!imports.knows(file)) return [`${where}: there is no file ${file}.`]
    const before = files.slice(0, index).filter((one) => one !== undefined)
    if (index === 0 || before.some((one) => imports.areJoined(one, file))) return []
    return [`${where}: ${file} neither imports a file that stands before it nor is imported by one.`]
  })
}

/** Which file imports which. A name that is taken from a package leads to the file that declares it. */
class Imports {
  readonly #texts: ReadonlyMap<string, string>
  readonly #entries: ReadonlyMap<string, string>
  readonly #known = new Map<string, ReadonlySet<string>>()

  constructor(sources: readonly Source[], entries: ReadonlyMap<string, string>) {
    this.#texts = new Map(sources.map(({ file, text }) => [file, text]))
    this.#entries = entries
  }

  knows(file: string): boolean {
    return this.#texts.has(file)
  }

  areJoined(one: string, another: string): boolean {
    return this.#of(one).has(another) || this.#of(another).has(one)
  }

  #of(file: string): ReadonlySet<string> {
    const known = this.#known.get(file)
    if (known !== undefined) return known
    const text = this.#texts.get(file) ?? ''
    const found = new Set(
      [...text.matchAll(/^(?:import|export)\s([^'"]*?)\sfrom\s+'([^']+)'/gm)].flatMap(
        ([, names = '', from = '']) => this.#targets(file, namesIn(names), from),
      ),
    )
    this.#known.set(file, found)
    return found
  }

  #targets(file: string, names: readonly string[], from: string): string[] {
    if (from.startsWith('.')) return [posix.join(posix.dirname(file), from)]
    const entry = this.#entries.get(from)
    return entry === undefined ? [] : names.map((name) => this.#declaring(entry, name))
  }

  /** The file that declares what `file` exports under a name; `file` itself when it does not pass it on. */
  #declaring(file: string, name: string): string {
    const text = this.#texts.get(file) ?? ''
    for (const [, names = '', from = ''] of text.matchAll(/^export\s([^'"]*?)\sfrom\s+'(\.[^']+)'/gm)) {
      const target = posix.join(posix.dirname(file), from)
      if (namesIn(names).includes(name)) return this.#declaring(target, name)
      if (names.trim() === '*') {
        const declaring = this.#declaring(target, name)
        const isThere = new RegExp(`^export .*\\b${name}\\b`, 'm').test(this.#texts.get(declaring) ?? '')
        if (isThere) return declaring
      }
    }
    return file
  }
}

/** The names in the braces of an import or export, as the other file calls them. */
const namesIn = (clause: string): string[] =>
  (/\{([^}]*)\}/.exec(clause)?.[1] ?? '')
    .split(',')
    .map((name) =>
      name
        .trim()
        .replace(/^type\s+/, '')
        .replace(/\s+as\s+.*$/, ''),
    )
    .filter((name) => name !== '')

/** Each plant breaks one rule; a check that does not see it proves nothing. */
const plants: [sentence: string, secondItem: string][] = [
  ['there is no file', '2. `apps/api-gateway/src/not-there.ts`'],
  ['neither imports', '2. `packages/kernel/src/failure.ts`'],
  ['begin it with a file', '2. and so on'],
]

/** Answers the planted violations that went unseen, as sentences. */
export const unseenPathPlants = (
  sources: readonly Source[],
  entries: ReadonlyMap<string, string>,
): string[] =>
  plants
    .filter(([sentence, item]) => {
      const page = `## Follow a plant\n\n1. \`apps/api-gateway/src/main.ts\`\n${item}\n`
      return !pathProblems(page, sources, entries).join().includes(sentence)
    })
    .map(
      ([sentence]) => `The planted path that should say "${sentence}" was not seen: the check does not work.`,
    )
