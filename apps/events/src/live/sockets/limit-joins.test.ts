import { sql } from '@platform/database'
import { newWorkspaceId } from '@platform/kernel'
import { userPrincipal } from '@platform/testing'
import { describe, expect, onTestFinished, vi } from 'vitest'
import { test } from '../../../test/service-fixture.ts'
import { NAMESPACES_MAX } from './limit-joins.ts'

const FLOOD = 3000

/** A connection that speaks the protocol by hand, as no client of ours would. */
async function connectRaw(url: string, headers: Record<string, string>) {
  const path = `${url}/socket.io/?EIO=4&transport=polling`
  const opening = await (await fetch(path, { headers })).text()
  const { sid } = JSON.parse(opening.slice(1)) as { sid: string }
  const address = `${path}&sid=${sid}`
  return {
    send: (packets: string[]) => fetch(address, { method: 'POST', headers, body: packets.join('\u001e') }),
    receive: async () => (await fetch(address, { headers })).text(),
  }
}
const join = (workspaceId: string) => `40/v2/workspaces/${workspaceId}/events,`

describe('a connection', () => {
  test.for([
    ['workspaces of others', (n: number) => join(`stranger${n}`)],
    ['what is no workspace', (n: number) => `40/nothing${n},`],
  ] as const)(
    'that asks to join %s thousands of times is closed, and few of them are looked at',
    async ([, packet], { service }) => {
      const database = await service.resources.database(service.env.DATABASE_URL ?? '')
      const asked = vi.spyOn(database, 'many')
      const connection = await connectRaw(service.url, service.headersOf(userPrincipal({ userId: 'eve' })))
      await connection.send(Array.from({ length: FLOOD }, (_, n) => packet(n)))
      await vi.waitFor(async () => expect(await connection.receive()).toMatch(/Session ID unknown|^1$/), {
        timeout: 5000,
        interval: 20,
      })
      const looks = asked.mock.calls.filter((call) => JSON.stringify(call).includes('stranger'))
      expect(looks.length).toBeLessThanOrEqual(NAMESPACES_MAX)
      asked.mockRestore()
    },
  )

  test('that asks for more than it may follow at once, while it follows some, is refused the rest', async ({
    service,
    workspaceId,
  }) => {
    vi.spyOn(performance, 'now').mockReturnValue(1_000_000)
    onTestFinished(() => void vi.restoreAllMocks())
    const ids = Array.from({ length: NAMESPACES_MAX + 10 }, () => newWorkspaceId())
    await service.database.many(sql`
      insert into permissions.workspaces (id, slug, name) select id, id, 'Test' from unnest(${ids}::text[]) as id`)
    const connection = await connectRaw(service.url, service.headersOf({ kind: 'internal' }))
    let text = ''
    const told = async (count: number) =>
      vi.waitFor(async () => {
        text += await connection.receive()
        expect(text.match(/4[04]\/v2/g)).toHaveLength(count)
      })
    await connection.send(ids.slice(0, 30).map(join))
    await told(30)
    vi.spyOn(performance, 'now').mockReturnValue(1_060_000)
    await connection.send(ids.slice(30).map(join))
    await told(ids.length)
    expect(text.match(/40\/v2/g)).toHaveLength(NAMESPACES_MAX)
    await connection.send([`41/v2/workspaces/${ids[0]}/events,`, join(workspaceId)])
    await told(ids.length + 1)
    expect(text.match(/40\/v2/g)).toHaveLength(NAMESPACES_MAX + 1)
  })

  test('that asks for some is told of each, and goes on', async ({ service, workspaceId }) => {
    const connection = await connectRaw(service.url, service.headersOf(userPrincipal({ userId: 'eve' })))
    await connection.send([...Array.from({ length: 20 }, (_, n) => join(`other${n}`)), join(workspaceId)])
    let text = ''
    await vi.waitFor(async () => {
      text += await connection.receive()
      expect(text.match(/44\/v2/g)).toHaveLength(20)
      expect(text).toContain(`40/v2/workspaces/${workspaceId}/events`)
    })
  })
})
