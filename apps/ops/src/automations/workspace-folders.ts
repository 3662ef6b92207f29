import { dirname } from 'node:path/posix'
import { isRecord } from '@platform/kernel'

/** An automation in a file. */
export interface AutomationFile {
  readonly slug: string
  /** Below the directory. */
  readonly file: string
  readonly text: string
}

/** A file of tests. */
export interface TestFile {
  /** Below the directory. */
  readonly name: string
  readonly text: string
}

/** What belongs to one workspace. */
export interface WorkspaceFolder {
  /** Below the directory; empty for the directory itself. */
  readonly folder: string
  readonly automations: readonly AutomationFile[]
  readonly tests: readonly TestFile[]
}

/** Files of a directory as they were read. */
export interface ReadFiles {
  /** Without the slug where it is that of the file: then it depends on the folder of the workspace. */
  readonly automations: readonly (Omit<AutomationFile, 'slug'> & { readonly slug: string | undefined })[]
  readonly tests: readonly (TestFile & { readonly value: unknown })[]
  /** Files that say what a workspace is. */
  readonly manifests: readonly string[]
}

/** The directory itself. */
const TOP = ''

/**
 * The workspaces of a directory. The folder of a file is the nearest above it with an `index.yml`; without one the
 * topmost that holds automations or tests itself, or in which a test finds the automation that it names. So a directory
 * that has nothing but folders of workspaces is one of several.
 */
export function workspaceFolders({ automations, tests, manifests }: ReadFiles): WorkspaceFolder[] {
  const withManifest = new Set(manifests.map(folderOf))
  const files = [...automations.map(({ file }) => file), ...tests.map(({ name }) => name)]
  const holding = new Set(files.map(folderOf))
  for (const { name, value } of tests) {
    const named = namesIn(value)
    const found = foldersAbove(name).find((folder) => hasOne(automations, folder, named))
    if (found !== undefined) holding.add(found)
  }
  const homeOf = (file: string): string => {
    const above = foldersAbove(file)
    const declared = above.find((folder) => withManifest.has(folder))
    return declared ?? above.findLast((folder) => holding.has(folder)) ?? TOP
  }
  return [...new Set(files.map(homeOf))].sort().map((folder) => ({
    folder,
    automations: automations
      .filter(({ file }) => homeOf(file) === folder)
      .map(({ slug, file, text }) => ({ slug: slug ?? slugIn(folder, file), file, text })),
    tests: tests.filter(({ name }) => homeOf(name) === folder).map(({ name, text }) => ({ name, text })),
  }))
}

/** A text with a slug has it in every folder. */
const hasOne = (automations: ReadFiles['automations'], folder: string, named: ReadonlySet<string>): boolean =>
  named.size > 0 &&
  automations.some(({ slug, file }) => isBelow(folder, file) && named.has(slug ?? slugIn(folder, file)))

const folderOf = (file: string): string => (file.includes('/') ? dirname(file) : TOP)

/** The nearest first. */
function foldersAbove(file: string): string[] {
  const folder = folderOf(file)
  return folder === TOP ? [TOP] : [folder, ...foldersAbove(folder)]
}

const isBelow = (folder: string, file: string): boolean => folder === TOP || file.startsWith(`${folder}/`)

/** The path of a file in its workspace, without what its name ends with. */
const slugIn = (folder: string, file: string): string =>
  file.slice(folder === TOP ? 0 : folder.length + 1).replace(/\.[^./]+$/, '')

/** The automations that a file of tests names as those that it tests. */
function namesIn(value: unknown): Set<string> {
  if (!isRecord(value)) return new Set()
  const tests = Object.values(Object(value.tests ?? {}))
  const names = [value, ...tests].map((test) => Object(test ?? {}).automation)
  return new Set(names.filter((name) => typeof name === 'string'))
}
