import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { isAbsolute, relative } from 'node:path'
import { fingerprint, isLinked } from './fingerprint.mjs'
import { inRoot, root } from './paths.mjs'

const file = inRoot('node_modules', '.set-up.json')

/** The Node to run with, if what is installed is what the lockfile asks for. */
export function installedNode() {
  const stamp = read()
  if (stamp?.fingerprint !== fingerprint() || !isLinked()) return undefined
  const node = isAbsolute(stamp.node) ? stamp.node : inRoot(stamp.node)
  return existsSync(node) ? node : undefined
}

/** Keeps the path of the brought Node relative: the clone may be moved or copied. */
export function rememberInstall(node) {
  const kept = node.startsWith(root) ? relative(root, node) : node
  writeFileSync(file, `${JSON.stringify({ fingerprint: fingerprint(), node: kept })}\n`)
}

function read() {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return undefined // never installed, or half written: installing again repairs both
  }
}
