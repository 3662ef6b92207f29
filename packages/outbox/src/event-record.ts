import { keepRecordText, recordText } from '@platform/broker'
import {
  automationExecuted,
  type EventOptions,
  type EventRecord,
  type EventSource,
  type EventTarget,
  nativeEvents,
} from '@platform/contracts'
import { Failure, isRecord, uuidv7 } from '@platform/kernel'

/** What an event is made of; the rest of its record is filled in. */
export interface EventParts {
  type: string
  payload: unknown
  source: EventSource
  target?: EventTarget | undefined
  options?: EventOptions | undefined
  /** A UUIDv7; given where work done again must not double the event (`derivedUuidv7`). */
  id?: string | undefined
  /** Now, unless given. ISO 8601. */
  createdAt?: string | undefined
}

/** The record of a new event, as it is stored and as callers get it. `source` is taken as it is. */
export function buildRecord(parts: EventParts): EventRecord {
  const { type, source, target, options } = parts
  // JSON has no undefined; a missing payload would otherwise vanish from the record.
  const payload = parts.payload ?? null
  const id = parts.id ?? uuidv7()
  const createdAt = parts.createdAt ?? new Date().toISOString()
  const counted = {
    payload,
    ...(target === undefined ? {} : { target }),
    ...(options === undefined ? {} : { options }),
  }
  // What may be long is written once; the fields around it are put to the text.
  const head = JSON.stringify({ type })
  const text = JSON.stringify(counted)
  const size = head.length + text.length - 1
  const record = { id, type, source, ...counted, createdAt, size }
  const [before, after] = [JSON.stringify({ id, type, source }), JSON.stringify({ createdAt, size })]
  return keepRecordText(record, `${before.slice(0, -1)},${text.slice(1, -1)},${after.slice(1)}`)
}

/** Characters of several events, about. */
export const sizeOfRecords = (records: readonly EventRecord[]): number =>
  records.reduce((sum, { size }) => sum + size, 0)

/** The size of an event: UTF-16 length of the JSON text of type, payload, target and options. */
export const eventSize = (event: {
  type: string
  payload: unknown
  target?: EventTarget | undefined
  options?: EventOptions | undefined
}): number =>
  JSON.stringify({ type: event.type, payload: event.payload, target: event.target, options: event.options })
    .length

/**
 * Returns the record. Throws when it is a native event whose payload is not what its contract says: such a mistake of
 * the platform is to be seen where it was made, not where the event is read.
 */
export function checkNative(record: EventRecord): EventRecord {
  const parsed = nativeEvents.get(record.type)?.payload.safeParse(record.payload)
  if (parsed === undefined || parsed.success) return record
  // The paths only: values may be secrets.
  const paths = parsed.error.issues.map(({ path }) => path.join('.') || 'payload')
  throw new TypeError(`The payload of a "${record.type}" does not keep its contract: ${paths.join(', ')}.`)
}

/** How large an event may be, in UTF-16 units (`eventSize`). */
export interface EventLimits {
  /** BROKER_EMIT_MAXLEN. */
  maxLength: number
  /** BROKER_EMIT_EXECUTED_AUTOMATION_MAXLEN. */
  executedMaxLength: number
}

/** The limits where the variables set no others. */
export const defaultEventLimits: EventLimits = { maxLength: 100_000, executedMaxLength: 10_000 }

/**
 * The record as it may be committed. One over the cap is refused with `EventTooLarge {size, max}`; of an executed
 * automation `output` and then `payload` are replaced by `{truncated: true, size}` first. Text that PostgreSQL can't
 * store (a NUL character, half of a surrogate pair) is refused with `InvalidEventError`.
 */
export function capEvent(record: EventRecord, limits: EventLimits): EventRecord {
  refuseUnstorable(record)
  const max = record.type === automationExecuted.type ? limits.executedMaxLength : limits.maxLength
  const fitting =
    record.size > max && record.type === automationExecuted.type ? truncate(record, max) : record
  if (fitting.size <= max) return fitting
  throw new Failure(
    'EventTooLarge',
    `The event "${record.type}" has ${record.size} characters; ${max} are allowed.`,
    {
      details: { size: record.size, max },
    },
  )
}

/** JSON.stringify writes these escapes for nothing else; a backslash before them may itself be escaped. */
const UNSTORABLE = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/

function refuseUnstorable(record: EventRecord): void {
  const text = recordText(record)
  // Nearly no event has such an escape, and looking for it is cheaper than the pattern.
  if (!(text.includes('\\u0000') || text.includes('\\ud')) || !UNSTORABLE.test(text)) return
  throw new Failure(
    'InvalidEventError',
    `The event "${record.type}" holds a NUL character or half of a surrogate pair; remove it.`,
  )
}

function truncate(record: EventRecord, max: number): EventRecord {
  let capped = record
  for (const field of ['output', 'payload']) {
    const { payload } = capped
    if (capped.size <= max || !isRecord(payload) || payload[field] === undefined) continue
    const size = JSON.stringify(payload[field]).length
    const shorter = { ...payload, [field]: { truncated: true, size } }
    capped = { ...capped, payload: shorter, size: eventSize({ ...capped, payload: shorter }) }
  }
  return capped
}
