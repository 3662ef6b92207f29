import type { EventRecord } from '@platform/contracts'
import { buildRecord } from '@platform/outbox'
import type { WorkspaceRole } from '@platform/permissions'
import { userPrincipal } from '@platform/testing'
import { describe, expect, test } from 'vitest'
import { LiveEvent } from './live-event.ts'
import { wants as asks, type Reader } from './reader.ts'

/** What an automation says to the socket that has started it. */
const answer = (target: EventRecord['target']): EventRecord =>
  buildRecord({ type: 'answer', payload: {}, source: { workspaceId: 'w', socketId: 'one' }, target })

const wants = (one: Reader, record: EventRecord) => asks(one, record, new LiveEvent(record).asked)

const reader = (role: WorkspaceRole, socketId?: string): Reader => ({
  principal: userPrincipal({ userId: 'eve' }),
  admission: { workspace: { id: 'w', slug: 'w', name: '' }, role, by: 'role' },
  filter: { all: [] },
  ...(socketId === undefined ? {} : { socketId }),
})

describe('an event that answers a socket', () => {
  test.for(['editor', 'owner'] as const)('is heard by the socket of an %s that caused it alone', (role) => {
    const heard = ['one', 'two'].map((socketId) =>
      wants(reader(role, socketId), answer({ currentSocket: true })),
    )
    expect(heard).toEqual([true, false])
  })

  test('is seen in a stream by owners only', () => {
    const event = answer({ currentSocket: true })
    expect([wants(reader('owner'), event), wants(reader('editor'), event)]).toEqual([true, false])
  })

  test('is not heard by another socket of the user it names beside', () => {
    const event = answer({ currentSocket: true, userId: 'eve' })
    expect([wants(reader('editor', 'one'), event), wants(reader('editor', 'two'), event)]).toEqual([
      true,
      false,
    ])
  })
})
