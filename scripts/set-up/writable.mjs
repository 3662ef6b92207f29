import { accessSync, constants, existsSync } from 'node:fs'
import { inRoot, root } from './paths.mjs'
import { Problem } from './problem.mjs'

/** Refuses, before anything is downloaded, a clone that this user cannot install into. */
export function requireWritable() {
  if ([root, inRoot('node_modules')].filter(existsSync).every(isWritable)) return
  throw new Problem(
    'This directory cannot be written by this user: change its owner or copy it, then run the command again.',
  )
}

export function isWritable(folder) {
  try {
    accessSync(folder, constants.W_OK)
    return true
  } catch {
    return false
  }
}
