import { fillPath } from '@platform/client'
import { emitEvents, tailEvents } from '@platform/contracts'
import { newWorkspaceId } from '@platform/kernel'
import { userPrincipal } from '@platform/testing'
import { describe, expect, vi } from 'vitest'
import { test } from '../../test/service-fixture.ts'

describe('tailing events', () => {
  test('shows operators the events of any workspace', async ({ service, workspaceId }) => {
    const leaving = new AbortController()
    const path = fillPath(tailEvents.path, { workspaceId })
    const root = service.headersOf(userPrincipal({ userId: 'root', superAdmin: true }))
    const answer = await fetch(`${service.url}${path}`, { headers: root, signal: leaving.signal })
    let text = ''
    const reading = (async () => {
      for await (const chunk of answer.body ?? []) text += Buffer.from(chunk as Uint8Array).toString()
    })().catch(() => undefined)
    await service.as({ userId: 'ada' })(emitEvents, {
      params: { workspaceId },
      body: { events: [{ type: 'order.placed', payload: { n: 1 } }] },
    })
    await vi.waitFor(() => expect(text).toContain('event: order.placed\n'), { timeout: 5000 })
    leaving.abort()
    await reading
  })

  test('refuses bad parameters, members who operate nothing, missing workspaces and nobody', async ({
    service,
    workspaceId,
  }) => {
    const statusOf = async (headers: Record<string, string>, query = '', id = workspaceId) => {
      const path = fillPath(tailEvents.path, { workspaceId: id })
      const answer = await fetch(`${service.url}${path}${query}`, { headers })
      await answer.body?.cancel()
      return answer.status
    }
    const internal = service.headersOf({ kind: 'internal' })
    expect(await statusOf(internal)).toBe(200)
    expect(await statusOf(internal, '?lastEventId=1')).toBe(400)
    expect(await statusOf(internal, '', newWorkspaceId())).toBe(404)
    expect(await statusOf(service.headersOf(userPrincipal({ userId: 'ada' })))).toBe(403)
    expect(await statusOf(service.headersOf(undefined))).toBe(401)
  })
})
