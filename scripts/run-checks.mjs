import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { inRoot, root } from './set-up/paths.mjs'
import { Problem, runScript } from './set-up/problem.mjs'
import { ended, withOurNode } from './set-up/run.mjs'
import { setUp } from './set-up/set-up.mjs'
import { watchStops } from './set-up/stops.mjs'

const generators = ['services', 'openapi', 'docs', 'chart'].map((name) => `scripts/generate-${name}.ts`)

/** Where generators write. All of it is compared, so that no file can be forgotten. */
const generatedFolders = ['docs', 'deploy']
/** What they write elsewhere. */
const generatedSources = ['apps/all-in-one/src/services.ts', 'apps/ops/src/config/environments.ts']

/** What each check runs, in order: the arguments of Node. A script that does not exist is left out. */
const checks = {
  lint: [['node_modules/@biomejs/biome/bin/biome', 'check', '--error-on-warnings', '.']],
  typecheck: [['node_modules/typescript-native/bin/tsc', '--project', 'tsconfig.json']],
  architecture: [['scripts/check-architecture.ts']],
  knip: [['node_modules/knip/bin/knip.js', '--no-progress']],
  generate: generators.map((script) => [script]),
  openapi: [['scripts/check-openapi.ts']],
  licences: [['scripts/check-licences.ts']],
}

/** Not a check: writes every file as `lint` wants it. */
const format = [['node_modules/@biomejs/biome/bin/biome', 'check', '--write', '.']]

/** Runs the named checks, or all; every one is run, and one failure fails the whole. */
async function runChecks(names) {
  const known = { ...checks, format }
  const unknown = names.find((name) => !(name in known))
  if (unknown)
    throw new Problem(`There is no check "${unknown}": choose from ${Object.keys(checks).join(', ')}.`)
  const stops = watchStops({ graceMs: 9500, stoppedCode: 130 })
  const node = await setUp(stops)
  const failed = []
  for (const name of names.length > 0 ? names : Object.keys(checks)) {
    if (!(await check(name, (args) => runQuietly(stops, node, args), names.length === 1))) failed.push(name)
  }
  if (failed.length === 0) return 0
  console.log(`Failed: ${failed.join(', ')}.`)
  return 1
}

/** `isAlone`: whoever names the generators alone wants them to write. */
async function check(name, execute, isAlone) {
  const commands = (checks[name] ?? format).filter(([script]) => existsSync(inRoot(script)))
  if (commands.length === 0) return say(name, 'left out, its script does not exist', 0)
  const startedAt = Date.now()
  const before = name === 'generate' ? generatedFiles() : ''
  let output = ''
  let isGood = true
  for (const args of commands) {
    const result = await execute(args)
    output += result.output
    isGood &&= result.code === 0
  }
  if (isGood && name === 'generate' && generatedFiles() !== before) {
    if (isAlone) return say(name, 'written: commit what `git status` shows', Date.now() - startedAt)
    isGood = false
    output += 'What is generated was out of date. It has been written anew: commit what `git status` shows.\n'
  }
  say(name, isGood ? 'passed' : 'FAILED', Date.now() - startedAt)
  if (!isGood) process.stdout.write(output)
  return isGood
}

function say(name, outcome, ms) {
  console.log(`${name.padEnd(14)}${outcome} (${(ms / 1000).toFixed(1)} s)`)
  return true
}

async function runQuietly(stops, node, args) {
  const child = spawn(node, args, {
    cwd: root,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: withOurNode(),
  })
  stops.watch(child)
  const chunks = []
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => chunks.push(chunk))
  const { code } = await ended(child)
  stops.watch(undefined)
  stops.throwIfRequested()
  return { code, output: Buffer.concat(chunks).toString() }
}

/** A fingerprint of what is generated: generating must not change it, whether or not this is a git checkout. */
function generatedFiles() {
  const hash = createHash('sha256')
  const found = generatedFolders.flatMap((folder) =>
    readdirSync(inRoot(folder), { withFileTypes: true, recursive: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name)),
  )
  for (const file of [...found, ...generatedSources.map((file) => inRoot(file))].sort())
    hash.update(file).update(readFileSync(file))
  return hash.digest('hex')
}

await runScript(() => runChecks(process.argv.slice(2)))
