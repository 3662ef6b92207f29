import { existsSync } from 'node:fs'
import { inRoot } from './set-up/paths.mjs'
import { Problem, runScript } from './set-up/problem.mjs'
import { run } from './set-up/run.mjs'
import { setUp } from './set-up/set-up.mjs'
import { watchStops } from './set-up/stops.mjs'

const main = 'bench/run.ts'

/** Forwards everything to the benches: `npm run bench -- <case> [--json]`. */
async function runBench(args) {
  if (!existsSync(inRoot(main)))
    throw new Problem(`${main} is missing: get a complete copy of the repository.`)
  const stops = watchStops({ graceMs: 9500, stoppedCode: 130 })
  const node = await setUp(stops)
  return run(stops, node, [main, ...args])
}

await runScript(() => runBench(process.argv.slice(2)))
