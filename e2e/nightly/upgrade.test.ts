import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { type Database, openDatabase, raw } from '@platform/database'
import { uuidv7 } from '@platform/kernel'
import { freshDirectory, type Platform, repositoryRoot, spawnPlatform } from '@platform/testing/platform'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { administrator, newWorkspace, saveAutomation } from '../support/caller.ts'
import { complaintsAbout, complaintsOf } from '../support/complaints.ts'
import { separateShape } from '../support/shapes.ts'
import { directClient, SteadyLoad } from '../support/steady-load.ts'

const RATE = Number(process.env.UPGRADE_RATE ?? '100')
/** What a rollout waits after a process is ready: load balancers have seen it by then. */
const SETTLED_MS = 1500
const STOP_MS = 40_000
/** After a kill requests that it held are sent again for so long; its service has another process. */
const KILL_MS = 5000
const kinds = ['gateway', 'workspaces', 'runtime', 'events']
const names = ['1', '2'].flatMap((which) => kinds.map((kind) => `${kind}-${which}`))
/** One of each kind, in the middle of each direction. */
const killed = new Set(['gateway-1', 'workspaces-2', 'runtime-1', 'events-2'])

/** The version before: that of the fixture, or the commit that UPGRADE_FROM names. */
const commit =
  process.env.UPGRADE_FROM ??
  readFileSync(new URL('../fixtures/previous-version/commit', import.meta.url), 'utf8').trim()
const hasHistory =
  spawnSync('git', ['cat-file', '-e', `${commit}^{commit}`], { cwd: repositoryRoot }).status === 0
if (!hasHistory) {
  const sentence = `The history here does not have the version before (${commit}): git fetch --unshallow brings it.`
  if (process.env.REQUIRE_SERVERS === '1') throw new Error(sentence)
  console.warn(`\n*** SKIPPED: ${sentence} ***\n`)
}

/** A migration that this version does not have: it stands for what the next one adds. */
const ADDED = '9000_add_for_the_upgrade'
const additions = {
  'packages/broker/migrations': 'alter table outbox.events add column added_later text;',
  'packages/identity/migrations': 'alter table gateway.users add column added_later int not null default 0;',
  'apps/workspaces/migrations': 'alter table workspaces.workspaces add column added_later text;',
  'apps/runtime/migrations':
    'create table runtime.added_later (n int); create index on runtime.added_later (n);',
  'apps/events/migrations': 'alter table events.subscriptions add column added_later text;',
}

/** The bundles of this version, with one more migration each. */
function addMigrations(folder: string): void {
  for (const app of ['api-gateway', 'workspaces', 'runtime', 'events']) {
    cpSync(`${repositoryRoot}dist/${app}`, `${folder}/${app}`, { recursive: true })
    for (const [path, text] of Object.entries(additions)) {
      const directory = `${folder}/${app}/files/${path}`
      // A service has those of its own schemas only.
      if (existsSync(directory)) writeFileSync(`${directory}/${ADDED}.sql`, text)
    }
  }
}

describe.runIf(separateShape !== undefined && hasHistory)(
  'from the version before to this one and back',
  () => {
    const folder = freshDirectory('upgrade-')
    const before = `${folder}/before`
    const after = `${folder}/after`
    const bundles = new Map<string, string>(names.map((name) => [name, `${before}/dist`]))
    let platform: Platform
    let database: Database
    let killedAt = Number.NEGATIVE_INFINITY
    const codes: (number | null)[] = []
    const complaints: string[] = []

    beforeAll(async () => {
      execFileSync(`${repositoryRoot}scripts/nightly/upgrade/build-version.sh`, [commit, before], {
        cwd: repositoryRoot,
        stdio: ['ignore', 'ignore', 'inherit'],
      })
      addMigrations(after)
      if (separateShape === undefined) return
      platform = await separateShape.start(
        // Load is not shed: this machine may be busy with other things, and upgrades are what is tested.
        { NODE_ENV: 'production', ACCOUNT_VALIDATION_METHOD: 'manual', GATEWAY_MAX_LAG_MS: '10000' },
        {
          counts: { gateway: 2, workspaces: 2, runtime: 2, events: 2 },
          bundles: (name) => bundles.get(name) ?? '',
        },
      )
      database = await openDatabase(platform.env.DATABASE_URL ?? '', { poolSize: 2 })
    }, 600_000)
    afterAll(async () => {
      await database?.[Symbol.asyncDispose]()
      await platform?.[Symbol.asyncDispose]()
      rmSync(folder, { recursive: true, force: true })
    })

    /** Stops a process as an orchestrator does and starts the other version in its place. */
    async function roll(name: string, version: string): Promise<void> {
      codes.push(await end(name, 'SIGTERM'))
      bundles.set(name, version)
      await platform.restart(name)
      await pause(SETTLED_MS)
      if (killed.has(name)) await kill(name)
    }

    /** Kills a process, which then starts again in the version it had, beside those of the other. */
    async function kill(name: string): Promise<void> {
      killedAt = performance.now()
      await end(name, 'SIGKILL')
      await platform.restart(name)
      await pause(SETTLED_MS)
    }

    async function end(name: string, signal: NodeJS.Signals): Promise<number | null> {
      const one = platform.process(name)
      const code = await one.stop(signal, STOP_MS)
      complaints.push(...complaintsOf(one))
      return code
    }

    async function rollAll(version: string): Promise<void> {
      for (const name of names) await roll(name, version)
    }

    /** Migrates as a hook of a deployment does, before the first process is replaced; answers the exit code. */
    async function migrateBy(version: string): Promise<(number | null)[]> {
      const apps = ['api-gateway', 'workspaces', 'runtime', 'events']
      return await Promise.all(
        apps.map((app) => {
          const hook = spawnPlatform(app, `${version}/${app}/main.js`, platform.env, ['migrate'])
          return new Promise<number | null>((resolve) => hook.child.once('close', resolve))
        }),
      )
    }

    test(`under ${RATE} requests a second no request fails and no event is lost`, {
      timeout: 1_200_000,
    }, async () => {
      const { token } = await administrator(platform)
      const workspaceId = await newWorkspace(platform.origin, token)
      const answer = { slug: 'answer', name: 'answer', when: { endpoint: true }, do: [], output: 'here' }
      const hear = {
        slug: 'hear',
        name: 'hear',
        when: { events: ['upgrade.cause'] },
        do: [],
        output: 'heard',
      }
      for (const one of [answer, hear]) await saveAutomation(platform.origin, token, workspaceId, one)
      const base = `/v2/workspaces/${workspaceId}`
      const accepted = new Set<string>()
      const emit = () => {
        const id = uuidv7()
        const body = JSON.stringify({ events: [{ id, type: 'upgrade.cause', payload: {} }] })
        return {
          method: 'POST',
          path: `${base}/events`,
          token,
          body,
          served: () => void accepted.add(id),
        } as const
      }
      const asks = [
        { method: 'GET', path: '/v2/me', token },
        { method: 'POST', path: `${base}/webhooks/answer`, token, body: '{}' },
        { method: 'GET', path: base, token },
        { method: 'GET', path: `${base}/automations`, token },
      ] as const
      using direct = directClient(platform.origins)
      const next = (n: number) => (n % 5 === 0 ? emit() : (asks[n % asks.length] ?? asks[0]))
      const load = new SteadyLoad(RATE, [direct], next, () => performance.now() - killedAt < KILL_MS)
      const hooks: (number | null)[] = []
      try {
        await warmUp(load)
        hooks.push(...(await migrateBy(after)))
        await rollAll(after)
        hooks.push(...(await migrateBy(`${before}/dist`)))
        await rollAll(`${before}/dist`)
        await pause(2000)
      } finally {
        await load.stop()
      }

      console.log(
        `${names.length * 2} processes replaced and ${killed.size * 2} killed, ${load.served} requests served, ` +
          `${load.repeated} repeated after kills, ${load.misses.length} not served; ${accepted.size} events accepted`,
      )
      complaints.push(...names.flatMap((name) => complaintsOf(platform.process(name))))
      if (load.misses.length > 0) console.log(complaintsAbout(load.misses, complaints).join('\n'))
      const outputs = names.map((name) => platform.process(name).output())
      expect(load.misses.slice(0, 40)).toEqual([])
      expect(hooks).toEqual(Array(8).fill(0))
      expect(codes).toEqual(Array(16).fill(0))
      for (const output of outputs) expect(output).toContain('a newer version has migrated the schema')
      await vi.waitFor(async () => expect(await lostOf(accepted)).toEqual({ notKept: 0, notHeard: 0 }), {
        timeout: 60_000,
        interval: 1000,
      })
    })

    /** Until eight cold processes have served everything for five seconds; misses before that do not count. */
    async function warmUp({ misses }: SteadyLoad): Promise<void> {
      for (let calm = 0, before = 0; calm < 5; before = misses.length) {
        await pause(1000)
        calm = misses.length === before ? calm + 1 : 0
      }
      misses.length = 0
    }

    /** Accepted events that are not in the log once, and those that no automation has heard. */
    async function lostOf(accepted: ReadonlySet<string>) {
      const ids = [...accepted].map((id) => `'${id}'`).join(',')
      const count = async (text: string) => {
        const [row] = await database.many<{ n: number }>(raw(text), { timeoutMs: 30_000 })
        return accepted.size - (row?.n ?? 0)
      }
      return {
        notKept: await count(`select count(*)::int as n from search.documents where id::text in (${ids})`),
        notHeard: await count(
          `select count(distinct trigger_id)::int as n from runtime.runs
            where status = 'succeeded' and trigger_id in (${ids})`,
        ),
      }
    }
  },
)
