import { spawnSync } from 'node:child_process'

/** What was looked at, and which rules of `.dependency-cruiser.mjs` are broken where. */
export interface Cruise {
  totalCruised: number
  violations: { rule: { name: string }; from: string; to: string }[]
}

const program = 'node_modules/dependency-cruiser/bin/dependency-cruiser.mjs'

/** Looks at the imports of files and folders. Throws when there is no report: no news is no good news. */
export function cruise(paths: readonly string[]): Cruise {
  const args = [program, '--config', '.dependency-cruiser.mjs', '--output-type', 'json', ...paths]
  const { stdout, stderr } = spawnSync(process.execPath, args, {
    encoding: 'utf8',
    maxBuffer: 512 * 1024 * 1024,
  })
  try {
    return (JSON.parse(stdout) as { summary: Cruise }).summary
  } catch {
    throw new Error(`dependency-cruiser gave no report: ${stderr.slice(0, 2000)}`)
  }
}
