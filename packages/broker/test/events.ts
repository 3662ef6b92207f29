import type { EventRecord } from '@platform/contracts'
import { randomBase62, uuidv7 } from '@platform/kernel'
import type { BrokerLog } from '../src/broker.ts'

/** A finished record, different from every other. */
export const testEvent = (
  workspaceId: string,
  payload: unknown = {},
  type = 'order.created',
): EventRecord => ({
  id: uuidv7(),
  type,
  source: { workspaceId },
  payload,
  createdAt: new Date().toISOString(),
  size: 1,
})

export const testEvents = (workspaceId: string, count: number): EventRecord[] =>
  Array.from({ length: count }, (_, index) => testEvent(workspaceId, { index }))

/** A name that no other test uses. */
export const uniqueName = (prefix: string): string => `${prefix}-${randomBase62(10)}`

/** A log that writes nothing. */
export const silentLog: BrokerLog = { info: () => {}, warn: () => {}, error: () => {} }
