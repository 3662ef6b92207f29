import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { eventStream } from '@platform/contracts'
import { newWorkspaceId, uuidv7 } from '@platform/kernel'
import { createLogger } from '@platform/logging'
import { openLog } from '@platform/search'
import { testDatabase } from '@platform/testing'
import { expect, test, vi } from 'vitest'
import { EventWriter } from './event-writer.ts'
import { Live } from './live.ts'
import type { Reader } from './reader.ts'
import { ReaderTopics } from './reader-topics.ts'
import { Tail } from './tail.ts'

const COUNT = 300
const PATIENCE_MS = 300

test('a client that stops to read while it catches up is cut behind a whole event', async () => {
  await using stack = new AsyncDisposableStack()
  const log = await openLog(stack.use(await testDatabase()))
  const logger = createLogger({ level: 'silent' })
  const tail = stack.use(await Tail.open(log, logger))
  const topics = new ReaderTopics({ listTopics: async () => [] })
  const live = stack.use(new Live({ log, tail, topics, logger }))
  const workspaceId = newWorkspaceId()
  const ids = Array.from({ length: COUNT }, () => uuidv7())
  const document = { type: 'big', source: { workspaceId }, payload: { filler: 'x'.repeat(60_000) } }
  await log.append(ids.map((id) => ({ stream: eventStream(workspaceId), id, document: { ...document, id } })))
  const reader = {
    principal: { kind: 'internal' },
    admission: { workspace: { id: workspaceId }, by: 'power' },
    filter: { all: [] },
  } as unknown as Reader
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    live.newStream(reader, undefined).begin(new EventWriter(response, PATIENCE_MS), 0)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  stack.defer(() => {
    server.closeAllConnections()
    server.close()
  })

  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  stack.defer(() => void socket.destroy())
  socket.write('GET / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n')
  await vi.waitFor(() => expect(live.readers.count).toBe(1))
  await vi.waitFor(() => expect(live.readers.cut).toBe(1), { timeout: 5000 })
  expect(live.readers.count).toBe(0)

  // What was written still comes, and its last id is where the client goes on.
  let text = ''
  socket.setEncoding('utf8').on('data', (chunk) => (text += chunk))
  await once(socket, 'end')
  const body = text.replace(/\r\n[0-9a-f]+\r\n/g, '')
  const seen = [...body.matchAll(/^id: (.+)\nevent: big\ndata: \{.*\}\n\n/gm)].map(([, id]) => id)
  expect(body).toMatch(/\}\n\n\r\n/)
  expect(seen.length).toBeGreaterThan(0)
  expect(seen.length).toBeLessThan(COUNT)
  expect(seen).toEqual(ids.slice(0, seen.length))
})
