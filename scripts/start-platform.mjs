import { existsSync } from 'node:fs'
import { smallMemory } from './set-up/memory.mjs'
import { inRoot } from './set-up/paths.mjs'
import { Problem, runScript } from './set-up/problem.mjs'
import { run } from './set-up/run.mjs'
import { setUp } from './set-up/set-up.mjs'
import { watchStops } from './set-up/stops.mjs'

const main = 'apps/all-in-one/src/main.ts'
// The platform closes itself within SHUTDOWN_GRACE_MS; half a second later nothing of it may be left.
const graceMs = (Number(process.env.SHUTDOWN_GRACE_MS) || 9000) + 500

/** Runs the platform and stays beside it only to pass signals on. `--watch` restarts it when a source file changes. */
async function startPlatform(args) {
  console.log('Starting the platform.')
  if (!existsSync(inRoot(main)))
    throw new Problem(`${main} is missing: get a complete copy of the repository.`)
  const stops = watchStops({ graceMs, stoppedCode: 0 })
  const node = await setUp(stops)
  const watch = args.includes('--watch') ? ['--watch', '--watch-preserve-output'] : []
  return run(
    stops,
    node,
    [...watch, main, ...args.filter((arg) => arg !== '--watch')],
    smallMemory(process.env),
  )
}

await runScript(() => startPlatform(process.argv.slice(2)))
