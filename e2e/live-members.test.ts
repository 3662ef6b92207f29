import { randomUUID } from 'node:crypto'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { openDatabase, sql, startEmbedded } from '@platform/database'
import { freshDirectory, type Platform, startAllInOne } from '@platform/testing/platform'
import { io } from 'socket.io-client'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { administrator, call, newAccount, newWorkspace, saveAutomation } from './support/caller.ts'
import { openEventStream } from './support/event-stream.ts'
import { separateShape } from './support/shapes.ts'

const SOON = { timeout: 15_000, interval: 10 }
/** Accounts may be used as soon as they are made. */
const validation = { ACCOUNT_VALIDATION_METHOD: 'auto' }
const opened = new AsyncDisposableStack()
afterAll(() => opened.disposeAsync())

/** On a database whose address the test knows: nothing else makes members yet. */
async function startOnKnownDatabase(): Promise<Platform> {
  const directory = freshDirectory('members-')
  opened.defer(() => rmSync(directory, { recursive: true, force: true }))
  const database = await startEmbedded(join(directory, 'postgres'))
  opened.defer(() => database.stop())
  return opened.use(await startAllInOne({ ...validation, DATABASE_URL: database.url }))
}

const places: [string, () => Promise<Platform>][] = [['all in one', startOnKnownDatabase]]
const separate = separateShape
if (separate !== undefined)
  places.push([
    'separate processes',
    async () => opened.use(await separate.start(validation, { counts: { events: 2 } })),
  ])

describe.each(places)('a member, on %s, who', (_, start) => {
  let platform: Platform
  let token: string
  let workspaceId: string
  const last = () => platform.origins.at(-1) ?? platform.origin

  beforeAll(async () => {
    platform = await start()
    token = (await administrator(platform)).token
    workspaceId = await newWorkspace(platform.origin, token)
  })

  const inDatabase = async (statement: ReturnType<typeof sql>) => {
    await using database = await openDatabase(platform.env.DATABASE_URL ?? '', {
      poolSize: 1,
      allowWeakDurability: true,
    })
    await database.many(statement)
  }
  /** Somebody who may read and change the workspace. */
  const newMember = async () => {
    const { userId, jwt } = await newAccount(platform.origin)
    await inDatabase(sql`
      insert into permissions.members (workspace_id, user_id, role) values (${workspaceId}, ${userId}, 'editor')`)
    return { token: jwt, userId }
  }
  /** Answers when it was done. */
  const remove = async (userId: string) => {
    await inDatabase(sql`
      delete from permissions.members where workspace_id = ${workspaceId} and user_id = ${userId}`)
    return performance.now()
  }

  test('is removed loses the event stream within a second; others keep theirs', async () => {
    const member = await newMember()
    const open = (bearer: string) =>
      openEventStream(last(), `/v2/workspaces/${workspaceId}/events/stream`, {
        authorization: `Bearer ${bearer}`,
      })
    using stream = await open(member.token)
    using other = await open(token)
    expect([stream.status, other.status]).toEqual([200, 200])
    const removedAt = await remove(member.userId)
    await vi.waitFor(() => expect(stream.endedAt()).toBeDefined(), SOON)
    expect((stream.endedAt() ?? Number.POSITIVE_INFINITY) - removedAt).toBeLessThan(1000)
    const statusNow = async () => {
      using again = await open(member.token)
      return again.status
    }
    await vi.waitFor(async () => expect(await statusNow()).toBe(404), SOON)
    expect(other.endedAt()).toBeUndefined()
  })

  test.each([
    ['websocket', 'header'],
    ['polling', 'header'],
    ['websocket', 'first message'],
  ])(
    'is removed loses the socket by %s with the credential in the %s within a second, and is told why',
    async (transport, where) => {
      const member = await newMember()
      const extraHeaders = { authorization: `Bearer ${member.token}` }
      const socket = io(`${last()}/v2/workspaces/${workspaceId}/events`, {
        transports: [transport],
        forceNew: true,
        reconnection: false,
        ...(where === 'header' ? { extraHeaders } : { auth: { extraHeaders } }),
      })
      onTestFinished(() => void socket.disconnect())
      const ended = { at: Number.POSITIVE_INFINITY, why: '' }
      socket.on('error', ({ error }: { error: string }) => {
        ended.why = error
      })
      socket.on('disconnect', () => {
        ended.at = performance.now()
      })
      await vi.waitFor(() => expect(socket.connected).toBe(true), SOON)
      const removedAt = await remove(member.userId)
      await vi.waitFor(() => expect(socket.connected).toBe(false), SOON)
      expect(ended.at - removedAt).toBeLessThan(1000)
      expect(ended.why).toBe('ForbiddenError')
    },
  )

  /** What comes live to a user, by streams and sockets through every gateway: the numbers of `hint`, of each. */
  const followedBy = async (bearer: string): Promise<readonly (() => number[])[]> => {
    const authorization = `Bearer ${bearer}`
    const readers = [platform.origin, last(), platform.origin, last()].map(async (origin) => {
      const path = `/v2/workspaces/${workspaceId}/events`
      const stream = await openEventStream(origin, `${path}/stream?types=hint`, { authorization })
      onTestFinished(() => stream[Symbol.dispose]())
      expect(stream.status).toBe(200)
      const socket = io(`${origin}${path}`, {
        transports: ['websocket'],
        forceNew: true,
        extraHeaders: { authorization },
      })
      onTestFinished(() => void socket.disconnect())
      const got: number[] = []
      socket.on('hint', ({ payload }: { payload: { n: number } }) => got.push(payload.n))
      await vi.waitFor(() => expect(socket.connected).toBe(true), SOON)
      return [() => stream.events.map(({ record }) => Number(record.payload.n)), () => got]
    })
    return (await Promise.all(readers)).flat()
  }

  test('joins a topic gets what is emitted to it live, on whichever instance; who does not, does not', async () => {
    const topic = `topic-${randomUUID()}`
    const hint = (options: object) => ({
      emit: { event: 'hint', payload: { n: '{{body.n}}' }, target: { userTopic: topic }, options },
    })
    const when = { endpoint: true }
    const about = { topic, userIds: '{{body.users}}' }
    const automations = {
      'topic-made': [{ createUserTopic: about }, hint({})],
      'topic-joined': [{ joinUserTopic: about }, hint({})],
      'topic-told': [hint({ persist: false })],
      'all-told': [{ emit: { event: 'hint', payload: { n: '{{body.n}}' } } }],
    }
    for (const [slug, steps] of Object.entries(automations))
      await saveAutomation(platform.origin, token, workspaceId, { slug, when, do: steps })
    const run = async (slug: string, n: number, users: string[] = []) => {
      const path = `/v2/workspaces/${workspaceId}/webhooks/${slug}`
      const answer = await call(last(), 'POST', path, { token, body: { n, users } })
      expect(answer.status, answer.text).toBe(200)
    }
    const [ada, bob, eve] = [await newMember(), await newMember(), await newMember()]
    const [adas, bobs, eves] = [
      await followedBy(ada.token),
      await followedBy(bob.token),
      await followedBy(eve.token),
    ]
    const all = (readers: readonly (() => number[])[], numbers: readonly number[]) =>
      vi.waitFor(() => expect(readers.map((read) => read())).toEqual(readers.map(() => numbers)), SOON)

    await run('topic-made', 1, [ada.userId])
    await all(adas, [1])
    await run('topic-joined', 2, [bob.userId])
    await all(adas, [1, 2])
    // What came moments before may come as well.
    await vi.waitFor(() => expect(bobs.map((read) => read().at(-1))).toEqual(bobs.map(() => 2)), SOON)
    await run('topic-told', 3)
    await all(adas, [1, 2, 3])
    await vi.waitFor(() => expect(bobs.map((read) => read().at(-1))).toEqual(bobs.map(() => 3)), SOON)
    await run('all-told', 4)
    await all(adas, [1, 2, 3, 4])
    await all(eves, [4])
  })
})
