import { readFileSync, rmSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { openDatabase, raw, startEmbedded } from '@platform/database'
import { freshDirectory, startAllInOne } from '@platform/testing/platform'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { administrator, call } from './support/caller.ts'

const fixture = (name: string) => new URL(`fixtures/${name}/dump.sql.gz`, import.meta.url)

/** The data directory of a platform whose database is the dump. */
async function restored(name: string): Promise<string> {
  const directory = freshDirectory('upgrade-')
  const server = await startEmbedded(`${directory}/postgres`, { fsync: false })
  const database = await openDatabase(server.url, { allowWeakDurability: true, poolSize: 1 })
  await database.many(raw(gunzipSync(readFileSync(fixture(name))).toString()), { timeoutMs: 60_000 })
  await database[Symbol.asyncDispose]()
  await server.stop()
  return directory
}

describe.each(['earliest-version', 'previous-version'])('the database of the %s', (name) => {
  test('is migrated, and what is in it is served', async () => {
    const directory = await restored(name)
    onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
    await using platform = await startAllInOne({}, directory, 'dist/all-in-one/main.js')
    const { origin } = platform
    const { token } = await administrator(platform)
    const { json: workspaces } = await call(origin, 'GET', '/v2/workspaces', { token })
    const made = (workspaces.items ?? workspaces).find((one: { name: string }) => one.name === 'Made before')
    const path = `/v2/workspaces/${made.id}`
    const run = await call(origin, 'POST', `${path}/webhooks/greet`, { token, body: { name: 'Ada' } })
    expect(run).toMatchObject({ status: 200, json: { greeting: 'Hello Ada' } })
    const events = await call(origin, 'GET', `${path}/events?type=made.before`, { token })
    expect(events.text).toContain('made.before')
    // The report is kept for a while, and a busy machine may once not answer a probe in time.
    await vi.waitFor(
      async () => {
        const { status, text } = await call(origin, 'GET', '/v2/readiness', { token })
        expect([status, text.includes('"migrations"')], text).toEqual([200, false])
      },
      { timeout: 60_000, interval: 1000 },
    )
  })
})
