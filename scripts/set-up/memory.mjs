import { readFileSync } from 'node:fs'
import { inRoot } from './paths.mjs'

/**
 * What keeps the memory of all in one small, as in the images (deploy/images/Dockerfile says why, `npm run bench --
 * run-memory` how much): a small young generation, an old one that is collected before it grows to fill the machine,
 * and a malloc that gives back what it had. What the environment says wins.
 */
export function smallMemory(env) {
  const small = JSON.parse(readFileSync(inRoot('scripts', 'set-up', 'small-memory.json'), 'utf8'))
  return { ...small, ...env, NODE_OPTIONS: [small.NODE_OPTIONS, env.NODE_OPTIONS].filter(Boolean).join(' ') }
}
