import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { openDatabase, sql, startEmbedded } from '@platform/database'
import { freshDirectory, type Platform, startAllInOne } from '@platform/testing/platform'
import { io } from 'socket.io-client'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { administrator, newAccount, newWorkspace } from './support/caller.ts'
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

describe.each(places)('a member who is removed, on %s', (_, start) => {
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

  test('loses the event stream within a second; others keep theirs', async () => {
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
    expect((stream.endedAt() ?? Number.POSITIVE_INFINITY) - removedAt).toBePrompt(1000)
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
    'loses the socket by %s with the credential in the %s within a second, and is told why',
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
      expect(ended.at - removedAt).toBePrompt(1000)
      expect(ended.why).toBe('ForbiddenError')
    },
  )
})
