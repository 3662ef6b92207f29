import { execFileSync } from 'node:child_process'
import { repositoryRoot } from '@platform/testing/platform'

const MARK = 'BUNDLES_ARE_BUILT'

/** Before the tests, once for all projects of a run: separate processes run what the images run. */
export default function buildBundles(): void {
  if (process.env[MARK] === '1') return
  execFileSync(process.execPath, ['scripts/bundle.ts'], {
    cwd: repositoryRoot,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  process.env[MARK] = '1'
}
