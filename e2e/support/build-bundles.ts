import { execFileSync } from 'node:child_process'
import { BUNDLES_ARE_BUILT, repositoryRoot } from '@platform/testing/platform'

/** Before the tests, once for all projects of a run: separate processes run what the images run. */
export default function buildBundles(): void {
  if (process.env[BUNDLES_ARE_BUILT] === '1') return
  execFileSync(process.execPath, ['scripts/bundle.ts'], {
    cwd: repositoryRoot,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  process.env[BUNDLES_ARE_BUILT] = '1'
}
