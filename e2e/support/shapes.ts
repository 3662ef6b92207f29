import { randomBytes } from 'node:crypto'
import { openDatabase, raw } from '@platform/database'
import {
  deployedPlatform,
  type Platform,
  platformOf,
  type SeparateOptions,
  startAllInOne,
  startSeparate,
} from '@platform/testing/platform'
import { inject } from 'vitest'

/** A way to deploy the platform. */
export interface Shape {
  name: string
  /** `options` is for separate processes. */
  start(extra?: Record<string, string>, options?: SeparateOptions): Promise<Platform>
}

const embedded: Shape = {
  name: 'all in one on embedded drivers',
  start: (extra) => startAllInOne(extra),
}

const { TEST_DATABASE_URL, TEST_BROKER_URL, TEST_CACHE_URL, REQUIRE_SERVERS } = process.env

/** Real PostgreSQL, NATS and Redis, when their addresses are given. */
export const servers =
  TEST_DATABASE_URL !== undefined && TEST_BROKER_URL !== undefined && TEST_CACHE_URL !== undefined
    ? { databaseUrl: TEST_DATABASE_URL, brokerUrl: TEST_BROKER_URL, cacheUrl: TEST_CACHE_URL }
    : undefined

if (servers === undefined) {
  const sentence =
    'TEST_DATABASE_URL, TEST_BROKER_URL and TEST_CACHE_URL are not all set: nothing is tested on separate processes.'
  if (REQUIRE_SERVERS === '1') throw new Error(sentence)
  console.warn(`\n*** SKIPPED: ${sentence} ***\n`)
}

/**
 * Two gateways, two runtimes, events and workspaces on the servers above, in a database and a namespace of their own.
 */
const separate: Shape = {
  name: 'separate processes on PostgreSQL, NATS and Redis',
  async start(extra, options) {
    if (servers === undefined) throw new Error('The servers are not there.')
    const name = `e2e_${randomBytes(6).toString('hex')}`
    const admin = await openDatabase(servers.databaseUrl, { poolSize: 1 })
    await admin.many(raw(`create database ${name}`), { timeoutMs: 30_000 })
    const databaseUrl = new URL(servers.databaseUrl)
    databaseUrl.pathname = `/${name}`
    const brokerUrl = `${servers.brokerUrl}?namespace=${name}`
    const platform = await startSeparate(
      { ...servers, databaseUrl: databaseUrl.href, brokerUrl },
      extra,
      options,
    )
    const stop = platform[Symbol.asyncDispose].bind(platform)
    platform[Symbol.asyncDispose] = async () => {
      await stop()
      await admin.many(raw(`drop database ${name} with (force)`), { timeoutMs: 30_000 })
      await admin[Symbol.asyncDispose]()
    }
    return platform
  },
}

/** What E2E_ORIGIN names: a test that wants other settings can't run there. */
const deployed: Shape = {
  name: 'a deployed platform',
  async start(extra = {}) {
    const platform = deployedPlatform()
    if (platform === undefined || Object.keys(extra).length > 0)
      throw new Error('This test needs a platform of its own: run it without E2E_ORIGIN.')
    return platform
  },
}

const startedHere = servers === undefined ? [embedded] : [embedded, separate]
/** Every scenario that matters runs on each of these; on what is deployed alone where that is named. */
export const shapes: Shape[] = deployedPlatform() === undefined ? startedHere : [deployed]
export const separateShape: Shape | undefined = servers === undefined ? undefined : separate

/** What registers relying parties with the platform that files share. */
export const REGISTRATION_TOKEN = 'a-registration-token-of-the-tests-0123456789'

/** Two instances of what holds connections, where there are several processes, and what somebody has to allow. */
export const startShared = (shape: Shape): Promise<Platform> =>
  shape.start({ OIDC_CLIENT_REGISTRATION_TOKEN: REGISTRATION_TOKEN }, { counts: { events: 2 } })

/** What a test has of a platform whose processes are not its own. */
export type SharedPlatform = Pick<Platform, 'origins' | 'env'>

/**
 * The platform of a shape, with its defaults and the token above, that all test files share: for tests that look at
 * workspaces and accounts of their own. Nobody stops it, and its processes are nobody's to signal.
 */
export async function sharedPlatform(shape: Shape | undefined = shapes[0]): Promise<Platform> {
  const deployedHere = deployedPlatform()
  if (deployedHere !== undefined) return deployedHere
  const number = shape === undefined ? -1 : shapes.indexOf(shape)
  const answer = await fetch(`${inject('sharedPlatforms')}/${number}`)
  if (!answer.ok) throw new Error(await answer.text())
  const { origins, env } = (await answer.json()) as SharedPlatform
  return platformOf(origins, env, {})
}
