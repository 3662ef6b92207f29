import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { LoadPlan } from '../measure/load.ts'

const READY_TRIES = 240

/** Whoever is called, and whose processes pay for it. */
export interface Contender {
  readonly plan: Pick<LoadPlan, 'url' | 'headers'>
  readonly pids: () => number[]
}

/** The folder of packages from npm, installed once for this user. */
export async function installed(name: string, packages: readonly string[]): Promise<string> {
  const folder = join(homedir(), '.cache', `platform-bench-${name}`)
  if (existsSync(join(folder, 'installed'))) return folder
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{"private":true}')
  await promisify(execFile)('npm', ['install', '--no-audit', '--no-fund', ...packages], { cwd: folder })
  writeFileSync(join(folder, 'installed'), '')
  return folder
}

/** Resolves when a POST to this address is served. */
export async function untilDone(url: string, body: unknown): Promise<void> {
  for (let tries = 0; tries < READY_TRIES; tries += 1) {
    const answer = await fetch(url, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
    }).catch(() => undefined)
    await answer?.text()
    if (answer?.ok) return
    await new Promise((resolve) => setTimeout(resolve, 500))
  }
  throw new Error(`Nobody answers at ${url}.`)
}
