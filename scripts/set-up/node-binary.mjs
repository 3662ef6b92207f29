import { execFileSync } from 'node:child_process'
import { inRoot } from './paths.mjs'
import { Problem } from './problem.mjs'

const needed = 24
const brought = inRoot('node_modules', '.bin', 'node')
const isBrought = process.platform === 'linux' && ['x64', 'arm64'].includes(process.arch)

/** Refuses, before anything is downloaded, a machine that could not run the result. */
export function requirePossibleNode() {
  if (!isBrought && majorOf(process.version) < needed) throw unsupported()
}

/** The Node that the lockfile brought, else the machine's own if it is new enough. */
export function findNode() {
  const found = [brought, process.execPath].find((node) => majorOf(versionOf(node)) >= needed)
  if (!found) throw unsupported()
  return found
}

const majorOf = (version) => Number(/^v(\d+)/.exec(version)?.[1] ?? 0)

function versionOf(node) {
  try {
    return execFileSync(node, ['--version'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
  } catch {
    return '' // absent here, or made for another C library
  }
}

const unsupported = () =>
  new Problem(
    `On this platform (${process.platform} ${process.arch}) the platform brings no Node of its ` +
      `own: install Node ${needed} or newer (this is ${process.version}), then run the command ` +
      'again.',
  )
