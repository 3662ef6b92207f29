import {
  EMIT_TOPIC,
  EventOptions,
  type EventRecord,
  type EventSource,
  EventTarget,
  EventType,
  isNativeType,
} from '@platform/contracts'
import { Failure, isRecord } from '@platform/kernel'
import { buildRecord, capEvent, type EventLimits } from '@platform/outbox'
import type { Frame } from '../automations/model.ts'
import { measure } from '../contexts/value-size.ts'

/** Times the limit. */
const COUNTED_EXACTLY = 10

/** What an automation says of an event; nothing of type and payload is checked yet. */
export interface EventOrder {
  readonly type: unknown
  readonly payload: unknown
  readonly target: EventTarget | undefined
  readonly options: EventOptions | undefined
}

/** The event that a step emits. Throws what makes it none. */
export function eventOf(frame: Frame, path: string, order: EventOrder, limits: EventLimits): EventRecord {
  const type = requireType(order.type)
  const payload = requirePayload(type, order.payload)
  requireEventSize(type, payload, limits.maxLength)
  const { target, options } = order
  frame.observed?.input({ event: type, payload, target, options })

  const id = frame.run.effectId(frame, path)
  const createdAt = frame.run.readClock().toISOString()
  const shown = frame.run.secrets.mask(payload)
  return capEvent(
    buildRecord({ type, payload: shown, source: sourceOf(frame), target, options, id, createdAt }),
    limits,
  )
}

/** It is committed with the run; what comes between making and handing it on must be no effect. */
export async function handOn(frame: Frame, record: EventRecord): Promise<void> {
  const recording = frame.run.record(record)
  frame.observed?.effect(frame.run.lastNumber)
  frame.observed?.emitted(record)
  await recording
}

/** For whom it is; undefined for whoever may read the workspace. */
export function readTarget(type: unknown, audience: unknown): EventTarget | undefined {
  const target = parsePart(EventTarget, 'target', audience)
  if (target === undefined && isRecord(audience) && Object.keys(audience).length > 0) throw namesNobody(type)
  return target
}

export const readOptions = (given: unknown): EventOptions | undefined =>
  parsePart(EventOptions, 'options', given)

/** Set by the platform; nothing of it can be written in an automation. The user stays unnamed. */
function sourceOf({ run, automation, depth }: Frame): EventSource {
  const { sessionId, socketId } = run.subject
  return {
    workspaceId: run.workspace.id,
    ...(sessionId === undefined ? {} : { sessionId }),
    ...(socketId === undefined ? {} : { socketId }),
    correlationId: run.correlationId,
    automationSlug: automation.slug,
    automationDepth: depth,
    serviceTopic: EMIT_TOPIC,
    host: { service: 'runtime' },
  }
}

function requireType(type: unknown): string {
  const { success, data } = EventType.safeParse(type)
  if (!success) throw invalidEvent('The type of an event must be 1–200 characters of [a-zA-Z0-9 ._-].')
  if (!isNativeType(data)) return data
  throw new Failure(
    'ForbiddenError',
    `Events of type "${data}" come from the platform only: choose another type.`,
  )
}

function requirePayload(type: string, payload: unknown): Readonly<Record<string, unknown>> {
  if (payload === undefined || payload === null) return {}
  if (isRecord(payload)) return payload
  throw invalidEvent(`The payload of the event "${type}" must be an object.`)
}

/** Only what is near the limit is written out to be counted exactly; "at least" is enough for the rest. */
function requireEventSize(type: string, payload: unknown, max: number): void {
  const { characters: size, excess } = measure(payload, max * COUNTED_EXACTLY)
  if (excess === undefined) return
  const message =
    excess === 'depth'
      ? `The payload of the event "${type}" is nested too deeply: make it flatter.`
      : `The event "${type}" has at least ${size} characters; ${max} are allowed.`
  throw new Failure('EventTooLarge', message, { details: { size, max } })
}

/** Fields whose template found nothing count as left out. */
function parsePart<T>(
  schema: { safeParse(value: unknown): { success: true; data: T } | { success: false } },
  name: string,
  value: unknown,
): T | undefined {
  if (value === undefined || value === null) return undefined
  const given = isRecord(value)
    ? Object.entries(value).filter(([, item]) => item !== undefined && item !== null)
    : []
  const result = schema.safeParse(isRecord(value) ? Object.fromEntries(given) : value)
  if (!result.success)
    throw invalidEvent(`The ${name} of an event holds a field or value that is not known there.`)
  return given.length === 0 ? undefined : result.data
}

/** Left out, it would be shown to everybody who may read the workspace. */
const namesNobody = (type: unknown) =>
  invalidEvent(
    `The target of the event "${String(type).slice(0, 200)}" names nobody: none of its fields has a value.`,
  )

const invalidEvent = (message: string) => new Failure('InvalidEventError', message)
