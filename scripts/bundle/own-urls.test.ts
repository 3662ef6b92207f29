import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { rolldown } from 'rolldown'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { ownUrls } from './own-urls.ts'

let root: string
beforeEach(() => {
  root = `${realpathSync(mkdtempSync(join(tmpdir(), 'own urls-')))}/`
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

function write(files: Record<string, string>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(root + name), { recursive: true })
    writeFileSync(root + name, text)
  }
}

/** Bundles `apps/one/src/main.js` and takes the sources away. */
async function bundle(main: string) {
  write({ 'apps/one/src/main.js': main })
  const directory = `${root}dist/one`
  await using build = await rolldown({
    input: `${root}apps/one/src/main.js`,
    platform: 'node',
    plugins: [ownUrls(root, directory)],
    logLevel: 'silent',
  })
  await build.write({ dir: directory, format: 'esm', entryFileNames: 'main.mjs' })
  for (const sources of ['apps', 'packages', 'node_modules'])
    rmSync(root + sources, { recursive: true, force: true })
  return {
    files: readdirSync(directory, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(directory.length + 1))
      .sort(),
    code: readFileSync(`${directory}/main.mjs`, 'utf8'),
    run: () => import(`${directory}/main.mjs`),
  }
}

test('a folder and a file of ours come along and are read in the bundle, when the sources are gone', async () => {
  write({
    'package.json': '{ "version": "1.2.3" }',
    'packages/a b/migrations/0001_first.sql': 'select 1',
    'packages/a b/src/migrations.js': "export default new URL('../migrations/', import.meta.url)",
  })
  const { run } = await bundle(`
    import { readFileSync } from 'node:fs'
    import migrations from '../../../packages/a b/src/migrations.js'
    export const sql = readFileSync(new URL('0001_first.sql', migrations), 'utf8')
    export const { version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'))
  `)
  expect(await run()).toMatchObject({ sql: 'select 1', version: '1.2.3' })
})

test('of a folder only migrations come along, whatever else lies in it', async () => {
  write({
    'apps/one/migrations/0001_first.sql': 'select 1',
    'apps/one/migrations/.env': 'SECRET=x',
    'apps/one/migrations/.sql': 'secret',
    'apps/one/migrations/id_rsa': 'secret',
    'apps/one/migrations/old/0001_first.sql': 'select 0',
  })
  const { files } = await bundle("export default new URL('../migrations/', import.meta.url)")
  expect(files).toEqual(['files/apps/one/migrations/0001_first.sql', 'main.mjs'])
})

test('a file of a library comes along, and no other of it', async () => {
  write({
    'node_modules/a-library/package.json': '{ "name": "a-library" }',
    'node_modules/a-library/page.css': 'body {}',
    'node_modules/a-library/page.css.map': '{}',
  })
  const { files, run } = await bundle(`
    import { readFileSync } from 'node:fs'
    import { createRequire } from 'node:module'
    export default readFileSync(createRequire(import.meta.url).resolve('a-library/page.css'), 'utf8')
  `)
  expect(files).toEqual(['libraries/a-library/page.css', 'main.mjs'])
  expect((await run()).default).toBe('body {}')
})

test('a library by its name alone stays outside and is looked up from where it is asked for', async () => {
  const { code } = await bundle(`
    import { createRequire } from 'node:module'
    export default () => createRequire(import.meta.url).resolve('a-program')
  `)
  expect(code).toContain(
    'createRequire(new URL("../../apps/one/src/main.js", import.meta.url)).resolve("a-program")',
  )
})

test('any other use of import.meta.url ends the build and names the module', async () => {
  const building = bundle('export default (name) => new URL(name, import.meta.url)')
  await expect(building).rejects.toThrow('apps/one/src/main.js uses import.meta.url in a way')
})

test('a program of its own is bundled beside, with what it reads, and does not run the main one', async () => {
  write({
    'packages/a b/libraries/one.library.js': '1',
    'packages/a b/libraries/other.js': '2',
    'packages/a b/src/both.js': 'export const both = 3',
    'packages/a b/src/a-worker.ts': `
      import { both } from './both.js'
      export const folder = new URL('../libraries/', import.meta.url)
      globalThis.workerRan = both`,
  })
  const { files, run } = await bundle(`
    import { both } from '../../../packages/a b/src/both.js'
    globalThis.mainRan = (globalThis.mainRan ?? 0) + 1
    export const worker = new URL('../../../packages/a b/src/a-worker.ts', import.meta.url)
    export { both }
  `)
  expect(files).toContain('a-worker.js')
  expect(files).toContain('files/packages/a b/libraries/one.library.js')
  expect(files).not.toContain('files/packages/a b/libraries/other.js')
  const { worker } = await run()
  const { folder } = await import(worker.href)
  expect(folder.href).toMatch(/files\/packages\/a%20b\/libraries\/$/)
  expect(globalThis).toMatchObject({ workerRan: 3, mainRan: 1 })
})
