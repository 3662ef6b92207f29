import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  createSubscription,
  type Endpoint,
  emitEvents,
  type NewSubscription,
  resourceScopes,
} from '@platform/contracts'
import { sql } from '@platform/database'
import { type FailureBody, newWorkspaceId } from '@platform/kernel'
import { buildRecord } from '@platform/outbox'
import { startTestService, type TestService, userPrincipal } from '@platform/testing'
import { test as base, expect } from 'vitest'
import type { z } from 'zod'
import { events } from '../src/service.ts'
import { deliveryOf, deliveryStore } from '../src/subscriptions/delivery-store.ts'

/** A request that a receiver got. */
export interface Got {
  headers: IncomingHttpHeaders
  text: string
  body: { type: string; timestamp: string; data: { id: string; payload: Record<string, unknown> } }
  at: number
}

export type Respond = (got: Got, response: ServerResponse) => void

/** An endpoint of a subscriber on this machine; `respond` may be exchanged at any time. */
export async function startReceiver(respond: Respond = (_, response) => response.end('thanks')) {
  const got: Got[] = []
  const receiver = { got, respond, url: '' }
  const server = createServer(async (request, response) => {
    const pieces: Buffer[] = []
    for await (const piece of request) pieces.push(piece as Buffer)
    const text = Buffer.concat(pieces).toString()
    const one: Got = {
      headers: request.headers,
      text,
      body: text === '' ? {} : JSON.parse(text),
      at: performance.now(),
    }
    got.push(one)
    receiver.respond(one, response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return Object.assign(receiver, {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  })
}

export type Receiver = Awaited<ReturnType<typeof startReceiver>>

/** Time that a test moves. */
export function movedClock() {
  const state = { aheadMs: 0 }
  return {
    state,
    now: () => new Date(Date.now() + state.aheadMs),
    advance(ms: number) {
      state.aheadMs += ms
    },
  }
}

/** Moves the time of a service, and has it look at once for what came due: nobody waits for its next look. */
export async function pass(service: TestService, clock: ReturnType<typeof movedClock>, ms: number) {
  clock.advance(ms)
  await service.database.many(sql`select pg_notify('webhooks', '')`)
}

export const SOON = { timeout: 20_000, interval: 10 }
export const LOCAL = { WEBHOOKS_ALLOWED_HOSTS: '127.0.0.1' }

/** A workspace of ada's with eve as editor. */
export async function newWorkspace(service: TestService): Promise<string> {
  const id = newWorkspaceId()
  await service.database.many(
    sql`insert into permissions.workspaces (id, slug, name) values (${id}, ${id}, 'Test')`,
  )
  await service.database.many(sql`
    insert into permissions.members (workspace_id, user_id, role)
    values (${id}, 'ada', 'owner'), (${id}, 'eve', 'editor')`)
  return id
}

type Input = z.input<typeof NewSubscription>

/** Subscribes as ada. */
export const subscribed = (
  service: TestService,
  workspaceId: string,
  url: string,
  more: Partial<Input> = {},
) =>
  service.as({ userId: 'ada' })(createSubscription, {
    params: { workspaceId },
    body: { url, events: ['order.*'], ...more },
  })

/** Emits orders as ada, numbered; answers their ids. */
export async function emitOrders(
  service: TestService,
  workspaceId: string,
  ...numbers: number[]
): Promise<string[]> {
  const { result } = await service.as({ userId: 'ada' })(emitEvents, {
    params: { workspaceId },
    body: { events: numbers.map((number) => ({ type: 'order.placed', payload: { number } })) },
  })
  return result.map(({ id }) => id)
}

/** Adds a delivery of an event for owners; answers its id. */
export async function keyDelivery(service: TestService, workspaceId: string, subscriptionId: string) {
  const source = { workspaceId, correlationId: 'c', host: { service: 'events' } }
  const event = buildRecord({ type: 'apikeys.created', payload: {}, source })
  const delivery = deliveryOf(event, subscriptionId)
  await deliveryStore(service.database).add([delivery], new Date())
  return delivery.id
}

export const numbersOf = ({ got }: Pick<Receiver, 'got'>) => got.map(({ body }) => body.data.payload.number)

interface Fixtures {
  service: TestService
  workspaceId: string
  receiver: Receiver
}

/** Tests of subscriptions: one running service a file that may call this machine, a workspace and a receiver a test. */
export const test = base.extend<Fixtures>({
  service: [
    // biome-ignore lint/correctness/noEmptyPattern: vitest reads the fixtures a fixture needs from this pattern.
    async ({}, use) => {
      await using service = await startTestService(events, { env: LOCAL })
      await use(service)
    },
    { scope: 'file' },
  ],
  workspaceId: async ({ service }, use) => await use(await newWorkspace(service)),
  // biome-ignore lint/correctness/noEmptyPattern: as above.
  receiver: async ({}, use) => {
    await using receiver = await startReceiver()
    await use(receiver)
  },
})

const missingId = '0199f0c2-6a3e-7b1c-9d55-0a4c7a1f2e33'

/**
 * Adds the tests that hold for every operation: who is refused, and that what is missing looks like what is
 * foreign.
 */
export function refusesOthers(contract: Pick<Endpoint, 'path' | 'method' | 'scope'>, body?: object): void {
  const call = async (
    service: TestService,
    principal: Parameters<TestService['headersOf']>[0],
    workspaceId: string,
  ) => {
    const path = contract.path
      .replace(':workspaceId', workspaceId)
      .replace(':subscriptionId', missingId)
      .replace(':deliveryId', missingId)
    const response = await fetch(`${service.url}${path}`, {
      method: contract.method.toUpperCase(),
      headers: { ...service.headersOf(principal), 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    return { status: response.status, body: ((await response.json()) as FailureBody).error }
  }

  test('needs a credential', async ({ service, workspaceId }) => {
    const answered = await call(service, undefined, workspaceId)
    expect(answered).toEqual({ status: 401, body: 'AuthenticationError' })
  })

  test('needs its scope', async ({ service, workspaceId }) => {
    const scopes = resourceScopes.filter((scope) => scope !== contract.scope)
    const answered = await call(service, userPrincipal({ scopes }), workspaceId)
    expect(answered).toEqual({ status: 403, body: 'InsufficientScope' })
  })

  test('is 404 for whoever is no member, as for a workspace that is missing', async ({
    service,
    workspaceId,
  }) => {
    const mallory = userPrincipal({ userId: 'mallory' })
    for (const id of [workspaceId, 'aaaaaaaaaaaaaaaa'])
      expect(await call(service, mallory, id)).toEqual({ status: 404, body: 'ObjectNotFoundError' })
  })

  if (contract.path.includes(':subscriptionId'))
    test('is 404 for a subscription that is missing', async ({ service, workspaceId }) => {
      const answered = await call(service, userPrincipal(), workspaceId)
      expect(answered).toEqual({ status: 404, body: 'ObjectNotFoundError' })
    })
}
