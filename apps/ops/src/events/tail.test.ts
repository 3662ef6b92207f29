import type { ServerResponse } from 'node:http'
import { describe, expect, test, vi } from 'vitest'
import { KEY, serve } from '../../test/testing.ts'
import { ops } from '../ops.ts'

const soon = (check: () => void) => vi.waitFor(check, { timeout: 8000, interval: 20 })

const recordOf = (n: number, type = 'order.placed') => ({
  id: `0199f0c2-7000-7b1c-9d55-00000000000${n}`,
  type,
  source: { workspaceId: 'w1', userId: 'ada' },
  payload: { n, text: 'a\u001b[31m' },
  createdAt: `2026-11-21T09:00:0${n}.000Z`,
  size: 10,
})
const messageOf = (record: ReturnType<typeof recordOf>) =>
  `id: ${record.id}\nevent: ${record.type}\ndata: ${JSON.stringify(record)}\n\n`

/** A command that goes on until it is interrupted, and what it has printed so far. */
function run(args: string[], env: Record<string, string>, hasColours = false) {
  const lines: string[] = []
  const complaints: string[] = []
  const interrupting = new AbortController()
  const ended = ops(['events', 'tail', ...args], {
    env: { INTERNAL_API_KEY: KEY, ...env },
    hasColours,
    interrupted: interrupting.signal,
    print: (text) => lines.push(text),
    complain: (text) => complaints.push(text),
  })
  return { lines, complaints, ended, interrupt: () => interrupting.abort() }
}

/** A platform whose streams are written by the test. */
async function servePlatform() {
  const streams: ServerResponse[] = []
  const asked: { url: string; lastEventId: string | undefined; key: unknown }[] = []
  const server = await serve(({ url = '', headers }, response) => {
    asked.push({
      url,
      lastEventId: headers['last-event-id'] as string | undefined,
      key: headers['x-platform-api-key'],
    })
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write('retry: 1000\nid: start\n\n')
    streams.push(response)
  })
  return Object.assign(server, { streams, asked })
}

describe('ops events tail', () => {
  test('prints events as they happen, coloured, and nothing that moves the cursor', async () => {
    await using platform = await servePlatform()
    const tail = run(['w1', '--types', 'order.placed,error'], { PORT: platform.port }, true)
    await soon(() => expect(platform.streams).toHaveLength(1))
    expect(platform.asked[0]).toEqual({
      url: '/v2/platform/workspaces/w1/events/stream?types=order.placed%2Cerror',
      lastEventId: undefined,
      key: KEY,
    })
    const text = messageOf(recordOf(1)) + messageOf(recordOf(2, 'error'))
    platform.streams[0]?.write(text.slice(0, 70))
    platform.streams[0]?.write(text.slice(70))
    await soon(() => expect(tail.lines).toHaveLength(2))
    expect(tail.lines[0]).toContain(
      '\u001b[90m2026-11-21 09:00:01Z\u001b[0m  \u001b[32morder.placed\u001b[0m',
    )
    expect(tail.lines[0]).toContain('"n":1')
    expect(tail.lines[0]).not.toContain('a\u001b[31m')
    expect(tail.lines[1]).toContain('\u001b[31merror')
    tail.interrupt()
    expect(await tail.ended).toBe(0)
  })

  test('goes on behind the last event when the platform comes back, and says that it waits', async () => {
    await using platform = await servePlatform()
    const tail = run(['w1', '--json'], { PORT: platform.port })
    await soon(() => expect(platform.streams).toHaveLength(1))
    platform.streams[0]?.end()
    await soon(() => expect(platform.streams).toHaveLength(2))
    platform.streams[1]?.write(messageOf(recordOf(1)))
    await soon(() => expect(tail.lines.map((line) => JSON.parse(line))).toEqual([recordOf(1)]))
    platform.streams[1]?.destroy()
    await soon(() => expect(platform.streams).toHaveLength(3))
    expect(platform.asked.map(({ lastEventId }) => lastEventId)).toEqual([undefined, 'start', recordOf(1).id])
    await soon(() => expect(tail.complaints).toHaveLength(4))
    expect(tail.complaints.slice(0, 2)).toEqual([
      'The platform is away: waiting for it.',
      'The platform is back: going on behind the last event.',
    ])
    tail.interrupt()
    expect(await tail.ended).toBe(0)
  })

  test('waits once for a platform that is not there, and ends when it is interrupted', async () => {
    const tail = run(['w1'], { PORT: '9' })
    await soon(() => expect(tail.complaints).toEqual(['The platform is away: waiting for it.']))
    tail.interrupt()
    expect(await tail.ended).toBe(0)
  })

  test('tells what the platform refuses', async () => {
    await using platform = await serve((_, response) =>
      response
        .writeHead(404)
        .end(JSON.stringify({ error: 'ObjectNotFoundError', message: 'There is no such workspace.' })),
    )
    const tail = run(['w2'], { PORT: platform.port })
    expect(await tail.ended).toBe(1)
    expect(tail.complaints).toEqual(['There is no such workspace.'])
  })
})
