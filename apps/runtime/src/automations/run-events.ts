import {
  automationExecuted,
  type EventRecord,
  type EventSource,
  type EventTarget,
  type PayloadInputOf,
  runtimeEvents,
} from '@platform/contracts'
import { derivedUuidv7, type Failure } from '@platform/kernel'
import type { SecretTexts } from '@platform/logging'
import { buildRecord, capEvent, checkNative, type EventLimits } from '@platform/outbox'
import { storable } from '../contexts/storable.ts'
import { measure } from '../contexts/value-size.ts'
import type { CompiledAutomation, Frame, RunState, Trigger } from './model.ts'

export interface Executed {
  readonly trigger: Trigger
  readonly payload: Readonly<Record<string, unknown>>
  readonly output: unknown
  readonly startedAt: Date
  readonly durationMs: number
  readonly isBroken: boolean
  readonly failure: Failure | undefined
}

/** Up to this many times the limit a value is written out to be counted exactly. */
const COUNTED_EXACTLY = 10

/** Where the platform's own events about a run come from. */
export const sourceOf = (run: RunState, automationSlug: string, depth: number): EventSource => ({
  workspaceId: run.workspace.id,
  ...(run.subject.userId === undefined ? {} : { userId: run.subject.userId }),
  ...(run.subject.sessionId === undefined ? {} : { sessionId: run.subject.sessionId }),
  correlationId: run.correlationId,
  automationSlug,
  automationDepth: depth,
  host: { service: 'runtime' },
})

/** `runtime.automations.executed` of one call: secrets masked, marked arguments left out, cut to its size. */
export function executedEvent(frame: Frame, executed: Executed, limits: EventLimits): EventRecord {
  const { run, automation, measures } = frame
  const { trigger, startedAt, durationMs, isBroken, failure } = executed
  const max = limits.executedMaxLength * COUNTED_EXACTLY
  const output = cut(executed.output, max)
  const payload: PayloadInputOf<typeof automationExecuted> = {
    slug: automation.slug,
    trigger,
    payload: shownInput(automation, executed.payload, run.secrets, max),
    ...(output === undefined ? {} : { output: run.secrets.mask(output) }),
    duration: durationMs,
    ...(measures.throttledMs === 0 ? {} : { throttled: Math.round(measures.throttledMs) }),
    startedAt: startedAt.toISOString(),
    break: isBroken,
  }
  const { type } = automationExecuted
  // That it keeps its contract the compiler has seen: most runs leave just this.
  if (failure === undefined) return storableRecord(partsOf(frame, type), payload, limits, asItIs)
  return recordOf(frame, type, { ...payload, error: run.secrets.mask(failure.toJSON()) }, limits)
}

const asItIs = (record: EventRecord): EventRecord => record

/** What an automation was given, as others may see it; where it has more than `max` characters, how many there are. */
export const shownInput = (
  automation: Pick<CompiledAutomation, 'inputs'>,
  payload: Readonly<Record<string, unknown>>,
  secrets: SecretTexts,
  max: number,
): unknown => secrets.mask(cut(withoutHidden(automation, payload), max))

/** What an automation was given, without credentials of its caller and arguments marked `redact: true`. */
export const withoutHidden = (
  { inputs }: Pick<CompiledAutomation, 'inputs'>,
  payload: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> => withoutCredentials(inputs.redacted(payload))

/** What is far too large for the event is not even looked at: its size says how much of it was counted. */
export function cut(value: unknown, max: number): unknown {
  const { characters, excess } = measure(value, max)
  return excess === undefined ? value : { truncated: true, size: characters }
}

/** What an event needs to know of the call it reports. */
export type FailedFrame = Pick<Frame, 'run' | 'automation' | 'depth' | 'trace'>

/** `runtime.fetch.failed`; `key` is that of the fetch, so that one done again has the same event. */
export const fetchFailedEvent = (
  frame: FailedFrame,
  payload: Readonly<Record<string, unknown>>,
  key: string,
  limits: EventLimits,
): EventRecord => {
  const { type } = runtimeEvents.fetchFailed
  return recordOf(frame, type, frame.run.secrets.mask(payload), limits, derivedUuidv7(key, key, type))
}

/** `runtime.waits.pending` and `runtime.waits.fulfilled`: for whoever looks on, kept nowhere. */
export function waitEvent(
  frame: FailedFrame,
  type: typeof runtimeEvents.waitsPending | typeof runtimeEvents.waitsFulfilled,
  id: string,
  payload: Readonly<Record<string, unknown>>,
  limits: EventLimits,
): EventRecord {
  const shown = frame.run.secrets.mask(payload)
  return { ...recordOf(frame, type.type, shown, limits, id), options: { persist: false } }
}

/** That somebody has become a member of a topic; seen by `target`. */
export const topicEvent = (
  frame: FailedFrame,
  type: string,
  { payload, target }: { payload: unknown; target: EventTarget },
  path: string,
  limits: EventLimits,
): EventRecord => ({
  ...recordOf(frame, type, payload, limits, frame.run.effectId(frame, `${path} ${type}`)),
  target,
})

function recordOf(
  frame: FailedFrame,
  type: string,
  payload: unknown,
  limits: EventLimits,
  id?: string,
): EventRecord {
  return storableRecord(partsOf(frame, type, id), payload, limits)
}

/** All of an event about a run but its payload. */
type ReportParts = { type: string; source: EventSource; id: string; createdAt: string }

const partsOf = (frame: FailedFrame, type: string, id = frame.run.reportId(frame, type)): ReportParts => ({
  type,
  source: sourceOf(frame.run, frame.automation.slug, frame.depth),
  id,
  createdAt: frame.run.now().toISOString(),
})

/** An event of the platform about a run, whatever its payload holds. */
export function storableRecord(
  parts: ReportParts,
  payload: unknown,
  limits: EventLimits,
  check: (record: EventRecord) => EventRecord = checkNative,
): EventRecord {
  try {
    return capEvent(check(buildRecord({ ...parts, payload })), limits)
  } catch {
    // What can't be stored as it is (a NUL, a size nothing can be cut from, a field that is not what it should be) must
    // not hide that the automation has run.
    return capEvent(
      buildRecord({ ...parts, payload: storable(payload, limits.executedMaxLength / 20) }),
      limits,
    )
  }
}

/** Events show neither the credentials of callers nor bodies in base64. */
function withoutCredentials(payload: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  if (payload.$http === undefined && payload.headers === undefined && payload.rawBody === undefined)
    return payload
  const { $http: _http, rawBody: _rawBody, ...rest } = payload
  const { headers } = rest
  if (typeof headers !== 'object' || headers === null || !('authorization' in headers)) return rest
  const { authorization: _, ...others } = headers
  return { ...rest, headers: others }
}
