import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { inRoot } from './paths.mjs'

/** What the installed packages depend on. Equal fingerprints mean that nothing has to be installed. */
export function fingerprint() {
  const hash = createHash('sha256').update(`${process.platform}-${process.arch}`)
  for (const file of ['pnpm-lock.yaml', 'pnpm-workspace.yaml', 'package.json', ...manifests()])
    hash.update(`\n${file}\n`).update(readFileSync(inRoot(file)))
  return hash.digest('hex')
}

/** Whether every workspace still has the links to its packages (a `git clean` inside one removes them). */
export const isLinked = () => manifests().every((file) => !hasDependencies(file) || hasModules(file))

const hasDependencies = (file) => /ependencies"\s*:\s*\{\s*"/.test(readFileSync(inRoot(file), 'utf8'))

const hasModules = (file) => existsSync(inRoot(file, '..', 'node_modules'))

const manifests = () =>
  workspaceFolders()
    .map((folder) => `${folder}/package.json`)
    .filter((file) => existsSync(inRoot(file)))

function workspaceFolders() {
  const [, list] = /^packages:\n((?: {2}- .*\n)+)/m.exec(readFileSync(inRoot('pnpm-workspace.yaml'), 'utf8'))
  return list
    .match(/[^\s'"-][^\s'"]*(?=['"]?$)/gm)
    .flatMap(expand)
    .sort()
}

function expand(pattern) {
  if (!pattern.endsWith('/*')) return [pattern]
  const parent = pattern.slice(0, -2)
  return existsSync(inRoot(parent)) ? readdirSync(inRoot(parent)).map((name) => `${parent}/${name}`) : []
}
