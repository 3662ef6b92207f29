// packages/custom-code/libraries/*.library.js: what functions of authors find in their isolates, which load no modules.
// `node scripts/bundle-libraries.ts [FOLDER]` after a change of libraries.json, of the version of a library or of
// src/inside.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'

const folder = fileURLToPath(new URL('../packages/custom-code/', import.meta.url))
const list = `${folder}libraries/libraries.json`
const target = process.argv[2] ?? `${folder}libraries/`

/** The module behind `entry` in one text without imports. */
async function bundled(entry: string, format: 'cjs' | 'iife'): Promise<string> {
  await using build = await rolldown({
    input: entry,
    cwd: folder,
    platform: 'browser',
    // As `require` finds it, so that both ways to import it give what authors know.
    resolve: { conditionNames: ['require', 'browser', 'default'], mainFields: ['browser', 'main'] },
    checks: { eval: false },
    onwarn: (warning) => {
      throw new Error(`${entry} can’t be bundled: ${warning.message}`)
    },
  })
  const { output } = await build.generate({
    format,
    // Sloppy functions would tell who called them, and with what.
    strict: true,
    ...(format === 'cjs' ? { exports: 'named' as const } : {}),
    minify: { mangle: true, compress: true, codegen: { removeWhitespace: true } },
    comments: { legal: true, annotation: false, jsdoc: false },
  })
  const [chunk] = output
  if (output.length > 1 || chunk.imports.length > 0) throw new Error(`${entry} is more than one file.`)
  return chunk.code.trim()
}

/** A script whose value holds a function for each module of the library. */
async function library(name: string, modules: Record<string, string>): Promise<string> {
  const [first = name] = Object.values(modules)
  const { version, license } = manifestOf(first.split('/')[0] ?? first)
  const parts: string[] = []
  for (const [specifier, entry] of Object.entries(modules))
    parts.push(
      `${JSON.stringify(specifier)}:function(module,exports,require){${await bundled(entry, 'cjs')}\n}`,
    )
  return `/*! ${name} ${version}, ${license} */\n({${parts.join(',\n')}})\n`
}

const manifestOf = (name: string): { version: string; license: string } =>
  JSON.parse(readFileSync(`${folder}node_modules/${name}/package.json`, 'utf8'))

const libraries = JSON.parse(readFileSync(list, 'utf8')) as Record<string, Record<string, string>>
const files: Record<string, string> = {}
files.web = `(function(){${await bundled('./src/inside/web.ts', 'iife')}\n})\n`
files.node = `(function(module,exports,$digest){${await bundled('./src/inside/node/index.ts', 'cjs')}\n})\n`
for (const name of ['prelude', 'python'])
  files[name] = `${await bundled(`./src/inside/${name}.ts`, 'iife')}\n`
for (const [name, modules] of Object.entries(libraries)) files[name] = await library(name, modules)

for (const file of readdirSync(target)) if (file.endsWith('.library.js')) rmSync(target + file)
for (const [name, text] of Object.entries(files)) {
  writeFileSync(`${target}${name}.library.js`, text)
  console.log(`${name} (${Math.round(text.length / 1000)} kB)`)
}
