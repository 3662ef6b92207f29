import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { explainFailure } from './explain-failure.mjs'
import { inRoot, root } from './paths.mjs'
import { Problem } from './problem.mjs'
import { showProgress } from './progress.mjs'
import { ended } from './run.mjs'
import { say } from './say.mjs'
import { isWritable } from './writable.mjs'

const log = join('node_modules', '.set-up.log')
const command = [
  ...['--yes', '--prefer-offline', 'pnpm@12.21.0', 'install', '--frozen-lockfile', '--prefer-offline'],
  ...['--reporter=append-only', '--config.confirmModulesPurge=false'],
  ...['--config.fetchRetries=2', '--config.fetchRetryMintimeout=1000', '--config.fetchRetryMaxtimeout=5000'],
  // The lockfile's integrity hashes hold anyway; asking for the age of each of its packages again doubles the time
  // and needs the network. CI still asks.
  ...(process.env.CI ? [] : ['--config.minimumReleaseAge=0']),
]
// npm alone would repeat for more than a minute before it says that there is no network.
const npmSettings = {
  npm_config_fetch_retries: '2',
  npm_config_fetch_retry_mintimeout: '1000',
  npm_config_fetch_retry_maxtimeout: '5000',
  npm_config_fetch_timeout: '60000',
  npm_config_update_notifier: 'false',
}

/** Installs what the lockfile names, with the one pnpm it was written for. */
export async function installPackages(stops) {
  say('Installing the packages of the lockfile; this is needed once, and again when it changes.')
  const home = usableHome()
  const progress = showProgress()
  const { output, outcome } = await runInstaller(stops, home, progress)
  const seconds = progress.end()
  if (home.temporary) rmSync(home.temporary, { recursive: true, force: true })
  stops.throwIfRequested()
  if (outcome.code !== 0) throw new Problem(explain(output, outcome))
  say(`Installed in ${seconds} s.`)
}

async function runInstaller(stops, home, progress) {
  const env = { ...npmSettings, ...process.env, ...home.env }
  const child = spawn('npx', command, { cwd: root, detached: true, stdio: ['ignore', 'pipe', 'pipe'], env })
  stops.watch(child, { whole: true })
  const lines = []
  for (const stream of [child.stdout, child.stderr])
    createInterface({ input: stream }).on('line', (line) => {
      lines.push(line)
      progress.read(line)
    })
  try {
    return { outcome: await ended(child), output: lines.join('\n') }
  } catch {
    throw new Problem('npm is missing: install npm together with Node, then run the command again.')
  } finally {
    stops.watch(undefined)
  }
}

function explain(output, outcome) {
  try {
    writeFileSync(inRoot(log), `${output}\n`)
  } catch {
    // The reason is then likely the same that the output gives.
  }
  return explainFailure(output, outcome, log)
}

/** A user without a home of its own (a service account, a container) installs with a temporary one. */
function usableHome() {
  const path = homedir()
  if (existsSync(path) && isWritable(path)) return { env: {} }
  const temporary = mkdtempSync(join(tmpdir(), 'platform-home-'))
  return { temporary, env: { HOME: temporary, npm_config_cache: join(temporary, '.npm') } }
}
