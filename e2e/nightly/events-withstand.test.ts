import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { type Database, openDatabase, sql } from '@platform/database'
import { type Platform, startSeparate } from '@platform/testing/platform'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { administrator, call, feed, newWorkspace } from '../support/caller.ts'
import { HonestEmitter } from '../support/honest-emitter.ts'
import { startOpenSearch } from '../support/open-search.ts'
import { startNats, startPostgres, type TestServer } from '../support/servers.ts'
import { servers } from '../support/shapes.ts'
import { startReceiver } from '../support/webhook-receiver.ts'

/** Seconds that processes are killed one after the other; the nightly run takes 120. */
const { KILL_SECONDS = '30', TEST_SEARCH_URL } = process.env
const PER_SECOND = 100
const FAULT_MS = 5000
const CALM_MS = 2000
const PAGE = 5000
/**
 * An event is accepted or refused within that, whatever is down: 3 s (reliability status contract), and a busy
 * machine.
 */
const ANSWER_MS = 4000

describe.runIf(servers !== undefined && TEST_SEARCH_URL !== undefined)(
  'under 100 events a second nothing is lost and nothing doubled',
  () => {
    let platform: Platform
    let database: Database
    let token: string
    let stores: { postgres: TestServer; nats: TestServer; search: TestServer }
    let receiver: Awaited<ReturnType<typeof startReceiver>>
    // Also what was started before something else failed to start is stopped.
    const started: TestServer[] = []
    const noted = async (starting: Promise<TestServer>): Promise<TestServer> => {
      const server = await starting
      started.push(server)
      return server
    }
    beforeAll(async () => {
      const [postgres, nats, search] = await Promise.all([
        noted(startPostgres()),
        noted(startNats()),
        noted(startOpenSearch()),
      ])
      stores = { postgres, nats, search }
      database = await openDatabase(postgres.url, { poolSize: 2 })
      receiver = await startReceiver()
      platform = await startSeparate(
        { databaseUrl: postgres.url, brokerUrl: nats.url, cacheUrl: servers?.cacheUrl ?? '' },
        { SEARCH_URL: search.url, WEBHOOKS_ALLOWED_HOSTS: '127.0.0.1' },
        { counts: { events: 2, runtime: 1 } },
      )
      token = (await administrator(platform)).token
    }, 180_000)
    afterAll(async () => {
      await platform?.[Symbol.asyncDispose]()
      await database?.[Symbol.asyncDispose]()
      await receiver?.[Symbol.asyncDispose]()
      for (const server of started) await server.stop()
    }, 60_000)

    const readOnly = (blocked: boolean) => async () => {
      const url = `${stores.search.url.replace('opensearch+', '')}/events-*/_settings`
      const body = JSON.stringify({ 'index.blocks.read_only_allow_delete': blocked ? true : null })
      const answer = await fetch(url, {
        method: 'PUT',
        headers: { 'content-type': 'application/json' },
        body,
      })
      if (!answer.ok) throw new Error(await answer.text())
    }
    const restarted = (of: () => TestServer, wiped: boolean) => ({
      breaks: async () => {
        await of().kill()
        if (wiped) await of().wipe()
      },
      mends: () => of().start(),
    })
    const frozen = (of: () => TestServer) => ({
      breaks: async () => of().freeze(),
      mends: async () => of().thaw(),
    })
    const [nats, search, postgres] = [() => stores.nats, () => stores.search, () => stores.postgres]

    test.each([
      { name: 'NATS killed', ...restarted(nats, false) },
      { name: 'NATS wiped', ...restarted(nats, true) },
      { name: 'NATS frozen', ...frozen(nats) },
      { name: 'OpenSearch killed', ...restarted(search, false) },
      { name: 'OpenSearch wiped', ...restarted(search, true) },
      { name: 'OpenSearch frozen', ...frozen(search) },
      { name: 'OpenSearch read-only', breaks: readOnly(true), mends: readOnly(false) },
    ])('$name: accepting never waits', { timeout: 240_000 }, async ({ breaks, mends }) => {
      const run = await begin()
      await breaks()
      await pause(FAULT_MS)
      await mends()
      await pause(CALM_MS)
      await run.emitter.stop()
      expect(run.emitter.emissions.filter(({ status }) => status !== 200)).toEqual([])
      expect(Math.max(...run.emitter.emissions.map(({ ms }) => ms))).toBePrompt(ANSWER_MS)
      await expectEachOnce(run)
    })

    test('PostgreSQL killed: refused in time, and kept once accepted', { timeout: 240_000 }, async () => {
      const run = await begin()
      const { breaks, mends } = restarted(postgres, false)
      await breaks()
      await pause(FAULT_MS)
      await mends()
      await pause(CALM_MS)
      await run.emitter.stop()
      expect(new Set(run.emitter.emissions.map(({ status }) => status))).toEqual(new Set([200, 503]))
      expect(Math.max(...run.emitter.emissions.map(({ ms }) => ms))).toBePrompt(ANSWER_MS)
      await expectEachOnce(run)
    })

    test(`events processes killed every 5 s for ${KILL_SECONDS} s`, {
      timeout: 240_000 + Number(KILL_SECONDS) * 2000,
    }, async () => {
      const run = await begin()
      const endsAt = Date.now() + Number(KILL_SECONDS) * 1000
      for (let turn = 0; Date.now() < endsAt; turn += 1) {
        const name = `events-${(turn % 2) + 1}`
        await platform.process(name).stop('SIGKILL')
        await pause(1000)
        await Promise.all([platform.restart(name), pause(4000)])
      }
      await run.emitter.stop()
      await expectEachOnce(run)
    })

    interface Run {
      workspaceId: string
      emitter: HonestEmitter
    }

    /** A workspace with a webhook subscription, into which events flow. */
    async function begin(): Promise<Run> {
      const workspaceId = await newWorkspace(
        platform.origin,
        token,
        `withstand ${randomBytes(4).toString('hex')}`,
      )
      const subscription = { url: receiver.url, events: ['withstand.*'] }
      const path = `/v2/workspaces/${workspaceId}/subscriptions`
      const made = await call(platform.origin, 'POST', path, { token, body: subscription })
      expect(made.status, made.text).toBe(200)
      const emitter = new HonestEmitter(platform.origins, token, workspaceId)
      emitter.start(PER_SECOND)
      await pause(CALM_MS)
      return { workspaceId, emitter }
    }

    /**
     * Every accepted event is in PostgreSQL, in the feed and in the index once, and reached the subscriber under one
     * id.
     */
    async function expectEachOnce({ workspaceId, emitter }: Run): Promise<void> {
      const ids = [...emitter.accepted].sort()
      const stream = `events-${workspaceId}`
      await vi.waitFor(
        async () => {
          const rows = await database.many<{ id: string }>(
            sql`select id from search.documents where stream = ${stream} and type = 'withstand.cause'`,
          )
          expect(rows.map(({ id }) => id).sort()).toEqual(ids)
          expect((await indexed(stream)).sort()).toEqual(ids)
        },
        { timeout: 120_000, interval: 2000 },
      )
      const seen = await feed(platform.origin, token, workspaceId, 'types=withstand.cause')
      expect(seen.map(({ id }) => id).sort()).toEqual(ids)
      await vi.waitFor(() => expect(ids.filter((id) => !receiver.webhookIds.has(id))).toEqual([]), {
        timeout: 120_000,
        interval: 1000,
      })
      expect(ids.filter((id) => receiver.webhookIds.get(id)?.size !== 1)).toEqual([])
    }

    /** The ids of a stream in OpenSearch itself, page by page: it answers at most 10,000 at once. */
    async function indexed(stream: string): Promise<string[]> {
      const url = `${stores.search.url.replace('opensearch+', '')}/${stream}`
      await fetch(`${url}/_refresh`, { method: 'POST' })
      const ids: string[] = []
      for (let after: unknown[] | undefined; ; ) {
        const page = await pageOf(url, after)
        ids.push(...page.map(({ _id }) => _id))
        if (page.length < PAGE) return ids
        after = page.at(-1)?.sort
      }
    }

    async function pageOf(url: string, after: unknown[] | undefined) {
      const query = { size: PAGE, _source: false, query: { term: { type: 'withstand.cause' } } }
      const answer = await fetch(`${url}/_search`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ ...query, sort: ['sequence'], ...(after && { search_after: after }) }),
      })
      const { hits } = (await answer.json()) as { hits: { hits: { _id: string; sort: unknown[] }[] } }
      return hits.hits
    }
  },
)
