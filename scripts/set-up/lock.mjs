import { mkdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { inRoot } from './paths.mjs'
import { say } from './say.mjs'

const file = inRoot('node_modules', '.set-up.lock')
const staleMs = 30_000

/** Lets one process of this clone install at a time: `npm start` and `npm test` may be run together. */
export async function exclusively(work) {
  mkdirSync(inRoot('node_modules'), { recursive: true })
  for (let waits = 0; !take(); waits++) {
    if (waits === 0) say('Another process is installing the packages of this directory; waiting for it.')
    await sleep(250)
  }
  const alive = setInterval(touch, staleMs / 6)
  try {
    return await work()
  } finally {
    clearInterval(alive)
    rmSync(file, { force: true })
  }
}

function take() {
  try {
    writeFileSync(file, String(process.pid), { flag: 'wx' })
    return true
  } catch (error) {
    if (error.code !== 'EEXIST') throw error
    if (isStale()) rmSync(file, { force: true })
    return false
  }
}

/** Its process is gone, or (another container's process cannot be seen) it has not been touched for long. */
function isStale() {
  try {
    if (Date.now() - statSync(file).mtimeMs > staleMs) return true
    process.kill(Number(readFileSync(file, 'utf8')) || process.pid, 0)
    return false
  } catch (error) {
    return error.code === 'ESRCH'
  }
}

function touch() {
  try {
    utimesSync(file, new Date(), new Date())
  } catch {
    // The installer may empty node_modules; the lock is then only gone early.
  }
}
