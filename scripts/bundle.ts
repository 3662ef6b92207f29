// dist/<app>/main.js, its libraries and the files it reads: what the images run (docs/adr/0030, 0053).
// `node scripts/bundle.ts [app …]`, every app without names; with `--into <directory>` one app is written elsewhere.
import { rmSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { serviceNames } from '@platform/contracts'
import { type Plugin, rolldown } from 'rolldown'
import { ownUrls } from './bundle/own-urls.ts'
import { plainCharacters } from './bundle/plain-characters.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const apps = ['all-in-one', 'ops', ...serviceNames].sort()

async function bundle(app: string, directory: string): Promise<void> {
  rmSync(directory, { recursive: true, force: true })
  await using build = await rolldown({
    input: `${root}apps/${app}/src/main.ts`,
    cwd: root,
    platform: 'node',
    // Its main file loads others by a `require` that no bundler can follow.
    resolve: { alias: { 'jsonc-parser': 'jsonc-parser/lib/esm/main.js' } },
    plugins: [onlyEnglish, ownUrls(root, directory), plainCharacters()],
    // Libraries say `eval` for good reasons of theirs; whatever else is wrong ends the build.
    checks: { eval: false },
    // Removing what seems unused removes calls that are made to see whether they throw: of `decodeURIComponent(path)`
    // in a `try` only the `catch` stayed (docs/adr/0030).
    treeshake: false,
    onwarn: (warning) => {
      throw new Error(`${app} can’t be bundled: ${warning.message}`)
    },
  })
  await build.write({
    dir: directory,
    format: 'esm',
    // A library holds what it needs of others: what is loaded when it is needed stays apart from what always is.
    codeSplitting: { groups: [{ debugName: 'library', name: libraryOf, entriesAware: true }] },
    // Apart from what we write, which changes more often: a layer of its own in the image.
    chunkFileNames: ({ name, moduleIds }) =>
      `${moduleIds.every(libraryOf) ? 'libraries/' : ''}${name.split('~')[0]}-[hash].js`,
    // Names stay, so that the stack of an error can be read.
    minify: { mangle: false, compress: false, codegen: { removeWhitespace: true } },
  })
  // Says to Node that these are modules, wherever the folder lies.
  writeFileSync(`${directory}/package.json`, '{ "type": "module" }\n')
}

/** Fifty languages of zod would be half of its text, in the memory of every process. We speak one. */
const onlyEnglish: Plugin = {
  name: 'only-english',
  load: {
    filter: { id: /\/zod\/v4\/locales\/index\.js$/ },
    handler: () => "export { default as en } from './en.js'",
  },
}

/** The library a module belongs to, as the name of a file. */
function libraryOf(id: string): string | null {
  const name = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(id)?.[1]
  return name === undefined ? null : name.replace('@', '').replace('/', '-')
}

const { values, positionals } = parseArgs({ allowPositionals: true, options: { into: { type: 'string' } } })
const wanted = positionals.length > 0 ? positionals : apps
const unknown = wanted.filter((app) => !apps.includes(app))
if (unknown.length > 0) throw new Error(`No app is called ${unknown.join(', ')}: ${apps.join(', ')}.`)
if (values.into !== undefined && wanted.length > 1) throw new Error('One directory is for one app: name it.')
for (const app of wanted) {
  const directory = values.into ?? `dist/${app}`
  const startedAt = performance.now()
  await bundle(app, resolve(root, directory))
  console.log(`${app} was bundled in ${Math.round(performance.now() - startedAt)} ms.`)
}
