import { emitEvents, listEvents } from '@platform/contracts'
import { sql } from '@platform/database'
import { buildRecord } from '@platform/outbox'
import { apiKeyStore, grantRules, rulesOf } from '@platform/permissions'
import { apiKeyRecord } from '@platform/permissions/testing'
import type { TestService } from '@platform/testing'
import { describe, expect, vi } from 'vitest'
import { test } from '../../test/service-fixture.ts'

/** A key of ada's, as the gateway forwards it alone. */
async function newKey(service: TestService, workspaceId: string, action: string) {
  const everything = rulesOf({ kind: 'internal' }, undefined)
  const rules = grantRules([{ action, subject: 'events' }], workspaceId, everything)
  const key = apiKeyRecord({ workspaceId, createdBy: 'ada', rules })
  const { id } = key
  await apiKeyStore(service.database).insert(key, id)
  return { id, headers: service.headersOf({ kind: 'apiKey', apiKeyId: id }) }
}

const body = { events: [{ type: 'order.placed', payload: { order: 1 } }] }

describe('events with an API key', () => {
  test('are emitted as nobody where the key may create, and not read', async ({ service, workspaceId }) => {
    const { headers } = await newKey(service, workspaceId, 'create')
    const params = { workspaceId }
    const { result } = await service.nobody(emitEvents, { params, body, headers })
    await vi.waitFor(async () => {
      const feed = await service.as({ userId: 'ada' })(listEvents, { params })
      const event = feed.result.events.find(({ id }) => id === result[0]?.id)
      expect(event?.source).toMatchObject({ workspaceId, serviceTopic: 'topic:runtime:emit' })
      expect(event?.source).not.toHaveProperty('userId')
    })
    await expect(service.nobody(listEvents, { params, headers })).rejects.toMatchObject({ status: 403 })
  })

  test('are read where the key may read, but never those about keys, and not emitted', async ({
    service,
    workspaceId,
  }) => {
    const { headers } = await newKey(service, workspaceId, 'read')
    const params = { workspaceId }
    const ada = service.as({ userId: 'ada' })
    const outbox = await service.resources.outbox('postgres:', service.env.DATABASE_URL ?? '')
    const payload = {
      apiKey: '****',
      _id: 'key',
      subjectType: 'workspaces',
      subjectId: workspaceId,
      rules: [],
    }
    await outbox.commit([buildRecord({ type: 'apikeys.created', payload, source: { workspaceId } })])
    await ada(emitEvents, { params, body })
    const types = async (reader: typeof ada, more = {}) =>
      (await reader(listEvents, { params, ...more })).result.events.map(({ type }) => type)
    await vi.waitFor(async () => expect(await types(ada)).toEqual(['order.placed', 'apikeys.created']))
    expect(await types(service.nobody, { headers })).toEqual(['order.placed'])
    await expect(service.nobody(emitEvents, { params, body, headers })).rejects.toMatchObject({ status: 403 })
  })

  test('of another workspace do not exist for the key', async ({ service, workspaceId }) => {
    const { headers } = await newKey(service, workspaceId, 'manage')
    await service.database.many(
      sql`insert into permissions.workspaces (id, slug, name) values ('other000', 'other000', 'Other')`,
    )
    const params = { workspaceId: 'other000' }
    await expect(service.nobody(emitEvents, { params, body, headers })).rejects.toMatchObject({ status: 404 })
    await expect(service.nobody(listEvents, { params, headers })).rejects.toMatchObject({ status: 404 })
  })

  test('add to what a user may, in the workspace of the key', async ({ service, workspaceId }) => {
    const { id } = await newKey(service, workspaceId, 'create')
    const params = { workspaceId }
    await expect(service.as({ userId: 'bob' })(emitEvents, { params, body })).rejects.toMatchObject({
      status: 404,
    })
    const bob = service.as({ userId: 'bob', apiKeyId: id })
    expect((await bob(emitEvents, { params, body })).result).toHaveLength(1)
  })
})
