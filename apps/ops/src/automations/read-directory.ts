import { type Dirent, readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { isRecord } from '@platform/kernel'
import { readYamlText, UnreadableText } from '@platform/source-texts'
import { OpsProblem } from '../terminal.ts'
import { type ReadFiles, type WorkspaceFolder, workspaceFolders } from './workspace-folders.ts'

const TEST = /\.test\.(ya?ml|json)$/
const TEXT = /\.(ya?ml|json)$/
/** What is said of a workspace as a whole. */
const MANIFEST = /(^|\/)index\.(ya?ml|json)$/
const LEFT_OUT = new Set(['node_modules'])
/** What has none of these is no automation. */
const FIELDS = ['do', 'output', 'when']
/** More files are hardly those of one workspace. */
const MOST_FILES = 5000

/** The automations of a directory and the folders below it, and their tests, by workspaces. Throws OpsProblem. */
export function readDirectory(directory: string): WorkspaceFolder[] {
  const files = listFiles(directory).sort()
  const read = (file: string) => readFileSync(join(directory, file), 'utf8')
  const tests = files.filter((file) => TEST.test(file)).map((name) => testsOf(name, read(name)))
  const others = files.filter((file) => !TEST.test(file))
  const automations = others.flatMap((file) => automationOf(file, read(file)))
  const known = new Set(automations.map(({ file }) => file))
  const manifests = others.filter((file) => MANIFEST.test(file) && !known.has(file))
  return workspaceFolders({ automations, tests, manifests })
}

function listFiles(root: string, directory = root, found: string[] = []): string[] {
  for (const entry of entriesOf(directory)) {
    const path = join(directory, entry.name)
    if (entry.isDirectory()) listFiles(root, path, found)
    else if (entry.isFile() && TEXT.test(entry.name)) found.push(relative(root, path).replaceAll('\\', '/'))
    if (found.length > MOST_FILES)
      throw new OpsProblem(
        `There are more than ${MOST_FILES} files in ${root}: name the folder of one workspace.`,
      )
  }
  return found
}

function entriesOf(directory: string): Dirent[] {
  try {
    const entries = readdirSync(directory, { withFileTypes: true })
    return entries.filter(({ name }) => !name.startsWith('.') && !LEFT_OUT.has(name))
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new OpsProblem(`The directory ${directory} can't be read (${code}): name one that has automations.`)
  }
}

/** Other files are none of ours: nothing is said about them. */
function automationOf(file: string, text: string): [] | [ReadFiles['automations'][number]] {
  try {
    const { value } = readYamlText(text)
    if (!isRecord(value) || !FIELDS.some((one) => one in value)) return []
    const slug = typeof value.slug === 'string' ? value.slug : undefined
    return [{ slug, file, text }]
  } catch (error) {
    if (!(error instanceof UnreadableText)) throw error
    const [first] = error.details
    throw new OpsProblem(`${file}:${first?.line}:${first?.column}: ${first?.message}`)
  }
}

/** What can't be read is told when its turn has come. */
function testsOf(name: string, text: string): ReadFiles['tests'][number] {
  try {
    return { name, text, value: readYamlText(text).value }
  } catch (error) {
    if (!(error instanceof UnreadableText)) throw error
    return { name, text, value: undefined }
  }
}
