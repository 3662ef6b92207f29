import { existsSync } from 'node:fs'
import { bundledProgram, program } from './set-up/bundled-program.mjs'
import { smallMemory } from './set-up/memory.mjs'
import { inRoot } from './set-up/paths.mjs'
import { Problem, runScript } from './set-up/problem.mjs'
import { run } from './set-up/run.mjs'
import { setUp } from './set-up/set-up.mjs'
import { watchStops } from './set-up/stops.mjs'

// The platform closes itself within SHUTDOWN_GRACE_MS; half a second later nothing of it may be left.
const graceMs = (Number(process.env.SHUTDOWN_GRACE_MS) || 9000) + 500

/**
 * Runs the platform and stays beside it only to pass signals on. `--watch` runs its sources, and restarts it when one
 * of them changes.
 */
async function startPlatform(args) {
  console.log('Starting the platform.')
  if (!existsSync(inRoot(program)))
    throw new Problem(`${program} is missing: get a complete copy of the repository.`)
  const stops = watchStops({ graceMs, stoppedCode: 0 })
  const node = await setUp(stops)
  const others = args.filter((arg) => arg !== '--watch')
  const what = args.includes('--watch')
    ? ['--watch', '--watch-preserve-output', program]
    : [await bundledProgram(stops, node)]
  return run(stops, node, [...what, ...others], smallMemory(process.env))
}

await runScript(() => startPlatform(process.argv.slice(2)))
