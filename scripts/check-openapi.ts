// Holds docs/openapi.json to the rules of redocly.yaml, and to what was released: docs/api-surface.txt. `--accept`
// writes it anew.
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { apiSurface } from './check-openapi/api-surface.ts'
import { breakingChanges } from './check-openapi/breaking-changes.ts'

const RELEASED = 'docs/api-surface.txt'
const present = apiSurface(JSON.parse(readFileSync('docs/openapi.json', 'utf8')))

if (process.argv.includes('--accept')) {
  writeFileSync(RELEASED, `${present.join('\n')}\n`)
  console.log(`${RELEASED}: ${present.length} lines`)
} else {
  const problems = breakingChanges(readFileSync(RELEASED, 'utf8').trimEnd().split('\n'), present)
  for (const problem of problems) console.log(problem)
  if (problems.length > 0)
    console.log(
      'Callers of the released API would break. Undo this, or add it beside what there is; ' +
        'before the first release of a version, run: node scripts/check-openapi.ts --accept',
    )
  const rules = lint()
  process.exitCode = problems.length > 0 || rules !== 0 ? 1 : 0
}

function lint(): number {
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }
  const args = ['node_modules/@redocly/cli/bin/cli.js', 'lint', 'docs/openapi.json', '--format=codeframe']
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { env, encoding: 'utf8' })
  if (status !== 0) process.stdout.write(`${stdout}${stderr}`)
  return status ?? 1
}
