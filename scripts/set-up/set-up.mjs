import { installPackages } from './install-packages.mjs'
import { exclusively } from './lock.mjs'
import { findNode, requirePossibleNode } from './node-binary.mjs'
import { Problem } from './problem.mjs'
import { installedNode, rememberInstall } from './stamp.mjs'
import { requireWritable } from './writable.mjs'

/**
 * Makes the clone ready to run and answers the path of the Node to run it with. When nothing changed since the last
 * time it only reads some files: no process, no network.
 */
export async function setUp(stops) {
  return installedNode() ?? (await install(stops))
}

async function install(stops) {
  requirePossibleNode()
  requireWritable()
  try {
    return await exclusively(() => installedNode() ?? installAndRemember(stops))
  } catch (error) {
    throw error.syscall === undefined ? error : new Problem(sentenceFor(error))
  }
}

async function installAndRemember(stops) {
  await installPackages(stops)
  const node = findNode()
  rememberInstall(node)
  return node
}

function sentenceFor(error) {
  if (error.code === 'ENOSPC') return 'The disk is full: free at least 2 GB, then run the command again.'
  return (
    `This directory cannot be written by this user (${error.code}): change its owner or copy it, ` +
    'then run the command again.'
  )
}
