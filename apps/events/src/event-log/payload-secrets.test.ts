import { emitEvents, listEvents } from '@platform/contracts'
import { sql } from '@platform/database'
import { newWorkspaceId, uuidv7 } from '@platform/kernel'
import { createLogger } from '@platform/logging'
import { startTestService } from '@platform/testing'
import { expect, test, vi } from 'vitest'
import { events } from '../service.ts'

/** In forms that no pattern of the logger knows. */
const canary = (place: string) => `canary-${place}-5f2b91`

test('a secret in a payload is kept as it was given, and stands in no line of the log', async () => {
  const lines: string[] = []
  const log = createLogger({ level: 'trace', destination: { write: (line) => void lines.push(line) } })
  await using service = await startTestService(events, { log, env: { LOG_LEVEL: 'trace' } })
  const workspaceId = newWorkspaceId()
  await service.database.many(
    sql`insert into permissions.workspaces (id, slug, name) values (${workspaceId}, ${workspaceId}, 'Test')`,
  )
  await service.database.many(
    sql`insert into permissions.members (workspace_id, user_id, role) values (${workspaceId}, 'ada', 'owner')`,
  )
  const ada = service.as({ userId: 'ada' })
  const emit = (...batch: object[]) =>
    ada(emitEvents, { params: { workspaceId }, body: { events: batch as never } })

  const payload = { token: canary('payload'), deep: [{ password: canary('deep') }], text: canary('nul') }
  const id = uuidv7()
  await emit({ id, type: 'order.placed', payload, target: { userId: canary('target') } })
  for (const refused of [
    { id, type: 'order.placed', payload: { token: canary('other') } },
    { type: 'order.placed', payload: { token: canary('large'), text: 'x'.repeat(100_000) } },
    { type: 'order.placed', payload: { token: `${canary('unstorable')}\u0000` } },
    { type: `order/${canary('type')}`, payload: { token: canary('invalid') } },
    { type: 'error', payload: { token: canary('native') } },
    { type: 'order.placed', payload: canary('text') },
  ])
    await expect(emit(refused)).rejects.toThrow()

  await vi.waitFor(async () => {
    const { result } = await ada(listEvents, { params: { workspaceId } })
    expect(result.events).toMatchObject([{ id, payload, target: { userId: canary('target') } }])
  })
  await ada(listEvents, { params: { workspaceId }, query: { text: canary('search') } })
  expect(lines).not.toEqual([])
  expect(lines.filter((line) => line.includes('canary'))).toEqual([])
})
