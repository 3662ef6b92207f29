import { execFileSync } from 'node:child_process'
import { repositoryRoot } from '@platform/testing/platform'

/** Before the tests: separate processes run what the images run. */
export default function buildBundles(): void {
  execFileSync(process.execPath, ['scripts/bundle.ts'], {
    cwd: repositoryRoot,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
}
