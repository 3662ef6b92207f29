import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { repositoryRoot } from '@platform/testing/platform'

/** Types `ops …` as an operator with this environment; answers what was shown. Rejects unless it ends with 0. */
export function typeOps(args: readonly string[], env: Record<string, string>): Promise<string> {
  const main = join(repositoryRoot, 'apps/ops/src/main.ts')
  return new Promise((resolve, reject) => {
    execFile(
      process.execPath,
      [main, ...args],
      { env: { PATH: process.env.PATH, ...env }, maxBuffer: 10_000_000 },
      (error, out, err) => {
        if (error === null) resolve(out)
        else reject(new Error(`ops ${args.join(' ')} ended with ${error.code}: ${err}${out}`))
      },
    )
  })
}
