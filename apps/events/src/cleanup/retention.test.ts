import { eventStream, PLATFORM_STREAM } from '@platform/contracts'
import { DAY_MS } from '@platform/kernel'
import type { StreamSummary } from '@platform/search'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Drop, deletedBefore, dropOf, type RetentionSettings, strippedBefore } from './retention.ts'

interface Kept {
  at: number
  executed: boolean
  stripped: boolean
}

interface World {
  streams: Map<string, Kept[]>
  /** When a workspace was deleted, by its id. */
  deleted: Map<string, number>
}

const now = new Date('2026-11-22T03:30:00Z')
const settingsOf: fc.Arbitrary<RetentionSettings> = fc.record({
  retentionDays: fc.integer({ min: 1, max: 1500 }),
  workspaceMaxEvents: fc.integer({ min: 1, max: 8 }),
  workspaceInactivityDays: fc.integer({ min: 1, max: 90 }),
  executedExpirationMs: fc.integer({ min: 24, max: 2000 }).map((hours) => hours * 3_600_000),
  scheduledDeletionDays: fc.integer({ min: 1, max: 60 }),
})
/** Ages gather around the borders of the rules. */
const age = fc.oneof(
  fc.integer({ min: 0, max: 2000 * DAY_MS }),
  fc
    .integer({ min: 0, max: 1500 })
    .chain((days) => fc.constantFrom(-1, 0, 1).map((ms) => days * DAY_MS + ms)),
)
const keptEvents = fc
  .array(fc.tuple(age, fc.boolean()), { maxLength: 10 })
  .map((events) =>
    events.map(
      ([ms, executed]): Kept => ({ at: now.getTime() - Math.max(0, ms), executed, stripped: false }),
    ),
  )
const world: fc.Arbitrary<World> = fc
  .array(fc.tuple(keptEvents, fc.option(age, { nil: undefined })), { minLength: 1, maxLength: 5 })
  .map((workspaces) => ({
    streams: new Map([
      ...workspaces.map(([events], at) => [eventStream(`w${at}`), events] as const),
      [PLATFORM_STREAM, workspaces[0]?.[0] ?? []],
    ]),
    deleted: new Map(
      workspaces.flatMap(([, ms], at) =>
        ms === undefined ? [] : [[`w${at}`, now.getTime() - Math.max(0, ms)]],
      ),
    ),
  }))

const summaries = ({ streams }: World): StreamSummary[] =>
  [...streams].map(([stream, events]) => ({
    stream,
    documents: events.length,
    newestAt: events.length === 0 ? undefined : new Date(Math.max(...events.map(({ at }) => at))),
  }))

/** Does what the rules say, as the stores do it. */
function clean(before: World, settings: RetentionSettings): World {
  const streams = new Map(before.streams)
  const deleted = new Set([...before.deleted.keys()].map(eventStream))
  for (const _ of ['what is expired', 'what is small by that']) {
    for (const summary of summaries({ ...before, streams })) {
      const drop = dropOf(summary, deleted.has(summary.stream), settings, now)
      streams.set(drop.stream, remaining(streams, drop))
    }
  }
  for (const [workspaceId, at] of before.deleted) {
    if (at < deletedBefore(settings, now).getTime()) streams.set(eventStream(workspaceId), [])
  }
  const stripBefore = strippedBefore(settings, now).getTime()
  for (const [stream, events] of streams) {
    const strip = (event: Kept) =>
      event.executed && event.at < stripBefore ? { ...event, stripped: true } : event
    streams.set(stream, events.map(strip))
  }
  return { streams, deleted: before.deleted }
}

const remaining = (streams: World['streams'], { stream, before }: Drop) =>
  (streams.get(stream) ?? []).filter(({ at }) => at >= before.getTime())

/** Why a stream may lose events at all, written independently of the rules. */
function allowedBefore(stream: string, before: World, settings: RetentionSettings): number {
  const events = before.streams.get(stream) ?? []
  const days = (count: number) => now.getTime() - count * DAY_MS
  const deletedAt = [...before.deleted].find(([id]) => eventStream(id) === stream)?.[1]
  if (deletedAt !== undefined && deletedAt < days(settings.scheduledDeletionDays))
    return Number.POSITIVE_INFINITY
  const quiet = events.every(({ at }) => at < days(settings.workspaceInactivityDays))
  const expired = days(settings.retentionDays)
  const small = events.filter(({ at }) => at >= expired).length < settings.workspaceMaxEvents
  const purgeable = stream !== PLATFORM_STREAM && deletedAt === undefined && quiet && small
  return purgeable ? Number.POSITIVE_INFINITY : days(settings.retentionDays)
}

describe('what retention drops, in 10,000 random sets of events', () => {
  test('is never younger than its rule, never of an active workspace, and everything that is due', () => {
    fc.assert(
      fc.property(world, settingsOf, (before, settings) => {
        const after = clean(before, settings)
        for (const [stream, events] of before.streams) {
          const border = allowedBefore(stream, before, settings)
          const expected = events.filter(({ at }) => at >= border)
          expect(after.streams.get(stream)?.map(({ at }) => at)).toEqual(expected.map(({ at }) => at))
          for (const event of after.streams.get(stream) ?? []) {
            const due = event.executed && event.at < now.getTime() - settings.executedExpirationMs
            expect(event.stripped).toBe(due)
          }
        }
      }),
      { numRuns: 10_000 },
    )
  })

  test('is nothing more when it is done again at once', () => {
    fc.assert(
      fc.property(world, settingsOf, (before, settings) => {
        const once = clean(before, settings)
        expect(clean(once, settings)).toEqual(once)
      }),
      { numRuns: 10_000 },
    )
  })
})

describe('a stream that grows while it is cleaned', () => {
  test('keeps what came after it was looked at', () => {
    const settings = {
      retentionDays: 1080,
      workspaceMaxEvents: 50,
      workspaceInactivityDays: 30,
      executedExpirationMs: DAY_MS,
      scheduledDeletionDays: 30,
    }
    const quiet = { stream: 'events-w1', documents: 3, newestAt: new Date(now.getTime() - 31 * DAY_MS) }
    const drop = dropOf(quiet, false, settings, now)
    expect(drop.reason).toBe('inactive')
    expect(now.getTime() - drop.before.getTime()).toBe(30 * DAY_MS)
  })
})
