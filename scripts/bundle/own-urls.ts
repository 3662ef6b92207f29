import { readdirSync, readFileSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, join, relative } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { Plugin } from 'rolldown'

/** `new URL('…', import.meta.url)`: a file or folder of ours, beside the module; `….ts` is a program of its own. */
const OWN_FILE = /new URL\('([^']+)', import\.meta\.url\)/g
/** `createRequire(import.meta.url).resolve('library/file')`: one file of a library. */
const LIBRARY_FILE = /createRequire\(import\.meta\.url\)\.resolve\(\s*'((?:@[^/']+\/)?[^/']+\/[^']+)',?\s*\)/g
/** A library that stays outside is looked up from the place of the module that asks, in the bundle too. */
const OUTSIDE = /createRequire\(import\.meta\.url\)/g

/** Of a folder only these are taken along; whatever else lies there is not for the image. */
const TAKEN = /^[^.].*\.(?:sql|library\.js)$/

/**
 * What our modules read beside their code (migrations, the version, pages of a library) is copied into the bundle and
 * read there, so that a bundle needs no source. Found by how it is asked for; another use of
 * `import.meta.url` ends the build.
 */
export function ownUrls(root: string, directory: string): Plugin {
  return {
    name: 'own-urls',
    transform: {
      filter: { code: 'import.meta.url' },
      handler(code, id) {
        if (!id.startsWith(`${root}apps/`) && !id.startsWith(`${root}packages/`)) return undefined
        const take = (name: string, path: string): string => {
          for (const [fileName, from] of filesOf(name, path))
            this.emitFile({ type: 'asset', fileName, source: readFileSync(from) })
          return `new URL(${JSON.stringify(encodeURI(name))}, __bundleUrl)`
        }
        const changed = code
          .replace(OWN_FILE, (_, path: string) => {
            const from = fileURLToPath(new URL(path, pathToFileURL(id)))
            if (path.endsWith('.ts')) {
              const fileName = `${basename(path, '.ts')}.js`
              this.emitFile({ type: 'chunk', id: from, fileName })
              return `new URL(${JSON.stringify(fileName)}, __bundleUrl)`
            }
            return take(`files/${relative(root, from)}${path.endsWith('/') ? '/' : ''}`, from)
          })
          .replace(LIBRARY_FILE, (_, path: string) => {
            const url = take(`libraries/${path}`, createRequire(id).resolve(path))
            return `process.getBuiltinModule('node:url').fileURLToPath(${url})`
          })
          .replace(OUTSIDE, () => {
            const from = encodeURI(relative(directory, id))
            return `createRequire(new URL(${JSON.stringify(from)}, __bundleUrl))`
          })
        if (!changed.includes('import.meta.url')) return changed
        throw new Error(`${relative(root, id)} uses import.meta.url in a way that a bundle can’t follow.`)
      },
    },
    renderChunk(code, { fileName }) {
      if (!code.includes('__bundleUrl')) return undefined
      if (fileName.includes('/'))
        throw new Error(`${fileName} reads files beside the main file of the bundle.`)
      return code.replaceAll('__bundleUrl', 'import.meta.url')
    },
  }
}

/** The files below `path`, or itself, with their names in the bundle. */
function filesOf(name: string, path: string): [fileName: string, from: string][] {
  if (!statSync(path).isDirectory()) return [[name, path]]
  return readdirSync(path, { withFileTypes: true })
    .filter((entry) => entry.isFile() && TAKEN.test(entry.name))
    .map((entry) => [`${name}${entry.name}`, join(path, entry.name)])
}
