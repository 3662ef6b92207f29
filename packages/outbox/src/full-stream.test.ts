import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openBroker } from '@platform/broker'
import type { EventRecord } from '@platform/contracts'
import { testDatabase } from '@platform/testing'
import { describe, expect, it, vi } from 'vitest'
import { findNatsServer, NatsServer } from '../test/testing.ts'
import { buildRecord } from './event-record.ts'
import { openOutbox } from './outbox.ts'
import { unrelayedMs } from './relay-position.ts'

const program = findNatsServer()
if (program === undefined) console.warn('SKIPPED: a full stream; there is no nats-server.')

const SOON = { timeout: 50_000, interval: 100 }
const COUNT = 200
const events = (from: number): EventRecord[] =>
  Array.from({ length: COUNT }, (_, index) =>
    buildRecord({
      type: 'order.created',
      payload: { number: from + index, text: 'x'.repeat(20_000) },
      source: { workspaceId: 'w1' },
    }),
  )
const numberOf = ({ payload }: EventRecord) => (payload as { number: number }).number

/** A disk of a few megabytes; undefined where mounting is not allowed. */
function smallDisk(megabytes: number) {
  const directory = mkdtempSync(join(tmpdir(), 'platform-nats-disk-'))
  const mount = (options: string) =>
    spawnSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', directory]).status === 0
  if (!mount(`size=${megabytes}m`)) {
    rmSync(directory, { recursive: true })
    return undefined
  }
  return {
    directory,
    grow: (to: number) => expect(mount(`remount,size=${to}m`)).toBe(true),
    [Symbol.dispose]() {
      spawnSync('umount', ['-l', directory])
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

async function relayOn(server: NatsServer) {
  const stack = new AsyncDisposableStack()
  const database = stack.use(await testDatabase())
  const warnings: string[] = []
  const log = { info: () => {}, warn: (_: object, text: string) => void warnings.push(text), error: () => {} }
  const broker = stack.use(await openBroker(server.url, { database, log }))
  const outbox = stack.use(await openOutbox({ database, broker, log }))
  const handled = new Set<number>()
  await broker.queue.consume('group', async (batch) => {
    for (const event of batch) handled.add(numberOf(event))
  })
  const waitingMs = () =>
    broker.relayTarget === undefined
      ? Promise.resolve(0)
      : unrelayedMs({ database, target: broker.relayTarget })
  return { outbox, warnings, handled, waitingMs, [Symbol.asyncDispose]: () => stack.disposeAsync() }
}

describe.skipIf(program === undefined)('a stream that takes no more', () => {
  it('is made anew where its server has no room for it, and everything is delivered', {
    timeout: 90_000,
  }, async () => {
    await using server = await NatsServer.start(program ?? '', { maxFileBytes: 6_000_000 })
    await using relay = await relayOn(server)
    await relay.outbox.commit(events(0))
    await vi.waitFor(() => expect(relay.handled.size).toBe(COUNT), SOON)
    await relay.outbox.commit(events(COUNT))
    await vi.waitFor(() => expect(relay.handled.size).toBe(2 * COUNT), SOON)
    expect(relay.warnings).toContain('the stream takes no events and is made anew')
    expect(relay.warnings.filter((text) => text.startsWith('relaying events stopped'))).toHaveLength(1)
  })

  it('goes on by itself once a full disk has room again', { timeout: 120_000 }, async ({ skip }) => {
    using disk = smallDisk(6)
    if (disk === undefined) return skip('Mounting a disk is not allowed here.')
    await using server = await NatsServer.start(program ?? '', {
      directory: join(disk.directory, 'nats'),
      maxFileBytes: 1_000_000_000,
    })
    await using relay = await relayOn(server)
    await relay.outbox.commit(events(0))
    await vi.waitFor(() => expect(relay.handled.size).toBe(COUNT), SOON)
    await relay.outbox.commit(events(COUNT))
    await vi.waitFor(
      () => expect(relay.warnings).toContain('relaying events stopped, it is begun again'),
      SOON,
    )
    expect(await relay.waitingMs()).toBeGreaterThan(0)
    disk.grow(60)
    await vi.waitFor(() => expect(relay.handled.size).toBe(2 * COUNT), SOON)
    expect(await relay.waitingMs()).toBe(0)
  })
})
