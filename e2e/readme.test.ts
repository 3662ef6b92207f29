import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ADMIN, repositoryRoot } from '@platform/testing/platform'
import { expect, test } from 'vitest'
import { sharedPlatform } from './support/shapes.ts'

/** The block of the README between the marks, exactly as a reader copies it. */
function readmeBlock(): string {
  const readme = readFileSync(join(repositoryRoot, 'README.md'), 'utf8')
  const block = /<!-- try-it -->\s*```sh\n([\s\S]*?)```/.exec(readme)?.[1]
  if (block === undefined) throw new Error('README.md has no block marked <!-- try-it -->.')
  return block
}

test('the calls of the README work, pasted as they are', async () => {
  const platform = await sharedPlatform()
  const script = readmeBlock().replaceAll('http://localhost:3001', platform.origin)
  const cwd = mkdtempSync(join(tmpdir(), 'readme-'))
  const env = {
    PATH: process.env.PATH ?? '',
    HOME: cwd,
    ADMIN_EMAIL: ADMIN.email,
    ADMIN_PASSWORD: ADMIN.password,
  }
  const shell = spawn('bash', ['-euo', 'pipefail', '-c', script], { cwd, env })
  let output = ''
  for (const stream of [shell.stdout, shell.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk))
  const code = await new Promise((resolve) => shell.once('exit', resolve))
  expect(code, output).toBe(0)
  expect(output).toContain('Hello Ada')
  expect(output).toContain('Hello the shop')
  expect(output).toContain('order.confirmed')
  expect(output).toMatch(/"automationSlug": "opening",\s+"status": "succeeded"/)
  expect(output).toContain('"status": "ready"')
})
