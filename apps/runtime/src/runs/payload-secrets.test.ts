import { createLogger } from '@platform/logging'
import { insertEvents } from '@platform/outbox'
import { expect, test, vi } from 'vitest'
import { emittedEvent, startRuntime } from '../../test/testing.ts'

const SOON = { timeout: 20_000, interval: 50 }

/** Each in a place of its own, in forms that no pattern of the logger knows. */
const canary = (place: string) => `canary-${place}-5f2b91`

test('a secret in a payload is kept as it was given, and stands in no line of the log', async () => {
  const lines: string[] = []
  const log = createLogger({ level: 'trace', destination: { write: (line) => void lines.push(line) } })
  await using runtime = await startRuntime({ log, env: { LOG_LEVEL: 'trace' } })
  const workspace = await runtime.workspace({
    listen: {
      when: { events: ['order.placed'] },
      do: [{ emit: { event: 'order.seen', payload: '{{payload}}' } }],
    },
    failing: {
      when: { events: ['order.failing'] },
      do: [{ emit: { event: '{{payload.type}}', payload: '{{payload}}' } }],
    },
    large: {
      when: { endpoint: true },
      do: [{ emit: { event: 'large', payload: { text: '{{body.text}}', secret: '{{body.secret}}' } } }],
    },
  })
  const seen = { token: canary('event'), deep: { password: canary('deep') } }
  await runtime.database.many(
    insertEvents([
      emittedEvent(workspace.id, 'order.placed', seen),
      emittedEvent(workspace.id, 'order.failing', {
        type: `no/${canary('type')}`,
        secret: canary('failing'),
      }),
    ]),
  )
  const response = await runtime.call(workspace.id, `large?key=${canary('query')}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-secret': canary('header') },
    body: JSON.stringify({ text: 'x'.repeat(100_001), secret: canary('body') }),
  })
  expect(response.status).toBe(413)

  await vi.waitFor(async () => expect(await runtime.events(workspace.id, 'order.seen')).toHaveLength(1), SOON)
  await vi.waitFor(async () => expect(await runtime.events(workspace.id, 'error')).toHaveLength(2), SOON)
  const [kept] = await runtime.events(workspace.id, 'order.seen')
  expect(kept?.payload).toEqual(seen)
  expect(lines.length).toBeGreaterThan(0)
  expect(lines.filter((line) => line.includes('canary'))).toEqual([])
})
