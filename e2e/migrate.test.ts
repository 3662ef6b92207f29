import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { freshDirectory, spawnPlatform } from '@platform/testing/platform'
import { expect, onTestFinished, test } from 'vitest'

/** Runs `migrate` in a process of this app and answers what it printed. */
async function migrateBy(
  app: string,
  env: Record<string, string>,
): Promise<{ code: number | null; out: string }> {
  const started = spawnPlatform(app, `dist/${app}/main.js`, env, ['migrate'])
  const code = await new Promise<number | null>((resolve) => started.child.once('close', resolve))
  return { code, out: started.output() }
}

const directoryForTest = () => {
  const directory = freshDirectory('migrate-')
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  return directory
}

const schemasIn = (out: string) =>
  [...out.matchAll(/"schema":"(\w+)".*"msg":"schema migrated"/g)].map(([, schema]) => schema).sort()

/** Schemas that every service brings up to date. */
const shared = ['audit', 'idempotency', 'installation', 'outbox', 'permissions']

test('a bundle migrates with nothing but the address of the database, in one process', async () => {
  const env = { DATABASE_URL: `embedded:${directoryForTest()}/postgres`, GATEWAY_WORKERS: '2' }
  const { code, out } = await migrateBy('api-gateway', env)
  expect([code, schemasIn(out)]).toEqual([0, shared.concat('gateway').sort()])
})

test('the bundle of all in one migrates its own database and makes nothing else', async () => {
  const directory = directoryForTest()
  const { code, out } = await migrateBy('all-in-one', { DATA_DIRECTORY: directory })
  expect(code).toBe(0)
  const all = shared.concat('events', 'gateway', 'runtime', 'search', 'workspaces')
  expect(schemasIn(out)).toEqual(all.sort())
  expect(existsSync(join(directory, 'secrets.env'))).toBe(false)
})
