import { spawn } from 'node:child_process'
import { delimiter } from 'node:path'
import { inRoot, root } from './paths.mjs'
import { Problem } from './problem.mjs'

/** Runs a program in the clone until it ends; the answer is its exit code. */
export async function run(stops, command, args, env = {}) {
  const stdio = ['ignore', 'inherit', 'inherit']
  const child = spawn(command, args, { cwd: root, detached: true, stdio, env: withOurNode(env) })
  stops.watch(child)
  const { code, signal } = await ended(child)
  stops.watch(undefined)
  if (signal === null) return code
  stops.throwIfRequested() // it was told to stop before it could listen
  throw new Problem(`The process was ended by ${signal}; if nobody did that, the machine ran out of memory.`)
}

/** Waits until a child process has ended and its output is read. */
export const ended = (child) =>
  new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code, signal) => resolve({ code, signal }))
  })

/** Whatever our programs start as `node` is the Node of the lockfile too. */
export const withOurNode = (env = {}) => ({
  ...process.env,
  PATH: [inRoot('node_modules', '.bin'), process.env.PATH].filter(Boolean).join(delimiter),
  ...env,
})
