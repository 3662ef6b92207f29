import { z } from 'zod'
import { Duration, durationMs } from './duration.ts'

const Priority = z
  .int()
  .min(-100)
  .max(100)
  .describe(
    '-100 to 100, 0 without it: of the queued runs of the workspace those with the greater one go first.',
  )

const RetryOn = z
  .array(
    z.union([
      z.string().regex(/^(?:any|network|timeout|4xx|5xx|[A-Z]\w{2,60})$/, {
        error: 'must be the name of a failure, a status such as 503, or any, network, timeout, 4xx, 5xx',
      }),
      z.int().min(400).max(599),
    ]),
  )
  .max(20)
  .describe(
    'What is tried again: names of failures, statuses (`503`, `4xx`, `5xx`), `timeout`, `network` (502 and 503) or ' +
      '`any`, which it is without it.',
  )

const Backoff = z.strictObject({
  initial: Duration.optional().describe(
    'The first pause, 1 s without it. Seconds, or a number with ms, s, m, h or d.',
  ),
  factor: z
    .number()
    .min(1)
    .max(10)
    .optional()
    .describe('How each pause grows to the next one, 2 without it.'),
  max: Duration.optional().describe('The longest pause, 5 min without it.'),
  jitter: z
    .boolean()
    .optional()
    .describe(
      'Pauses are shortened by chance, by half at most, so that not all come at once. false: they are not.',
    ),
})

/** How often and when a failed run is begun again. */
export const Retry = z.strictObject({
  attempts: z.int().min(1).max(20).describe('How often it is tried at most, the first time counted.'),
  backoff: z
    .union([Backoff, Duration])
    .optional()
    .describe(
      'The pauses between: `{initial: 1s, factor: 2, max: 5m, jitter: true}` and what is left out of it is as here; ' +
        'a duration is `initial`.',
    ),
  on: RetryOn.optional(),
})
export type Retry = z.infer<typeof Retry>

/** How many runs of an automation are at work at once. */
export const Concurrency = z.strictObject({
  limit: z
    .int()
    .min(1)
    .max(1000)
    .describe('How many queued runs are at work at once, on all processes together.'),
  key: z
    .string()
    .max(1000)
    .optional()
    .describe('A text with templates over what the run is given; each value has a limit of its own.'),
  strategy: z
    .enum(['queue', 'cancel-oldest', 'drop'])
    .optional()
    .describe(
      'What becomes of a run above the limit: `queue` (without it) lets it wait, `drop` cancels it, `cancel-oldest` ' +
        'cancels the oldest for it.',
    ),
})
export type Concurrency = z.infer<typeof Concurrency>

/** Longest time that runs are held for events that may still come. */
const MAX_HELD_MS = 86_400_000

const Held = Duration.refine((given) => {
  const ms = durationMs(given) ?? 0
  return ms >= 1 && ms <= MAX_HELD_MS
}, 'must be from 1 ms to 1 d')

/** Which of several events that come one after another starts a run. */
export const Debounce = z.strictObject({
  period: Held.describe(
    'So long nothing more may come. Seconds, or a number with ms, s, m, h or d; at most 1 d.',
  ),
  key: z
    .string()
    .max(1000)
    .optional()
    .describe(
      'A text with templates over what the run is given; events of each value are looked at by themselves.',
    ),
  max: Held.optional().describe(
    'So long after the first event the run begins although more come; at most 1 d.',
  ),
})
export type Debounce = z.infer<typeof Debounce>

const Durable = z
  .boolean()
  .describe(
    'true: a run that a request waits for goes on as well when its process or its request ends, as those of events ' +
      'do. A call repeated with the same `Idempotency-Key` within 24 h gets the answer of that run.',
  )

/** What becomes of runs that wait, fail or lose their process, as it is checked when an automation is saved. */
export const durability = {
  durable: Durable.optional(),
  priority: Priority.optional(),
  retry: Retry.describe(
    'A run that fails is begun again, from its beginning and with the same input.',
  ).nullish(),
  concurrency: Concurrency.optional().describe('How many of its runs are at work at once.'),
  debounce: Debounce.optional().describe(
    'Of events that come one after another only the last one starts a run.',
  ),
}

/** The same as it is read: what was saved before there was such a field, and can't be one, says nothing. */
export const savedDurability = {
  durable: Durable.optional().catch(undefined),
  priority: Priority.optional().catch(undefined),
  retry: Retry.nullish().catch(undefined),
  concurrency: Concurrency.optional().catch(undefined),
  debounce: Debounce.optional().catch(undefined),
}

/** An automation that says how its queued runs are treated, as the documents show it. */
export const durabilityExample = {
  slug: 'charge',
  name: 'charge',
  when: { events: ['order.placed'] },
  priority: 10,
  retry: { attempts: 4, backoff: { initial: '2s', max: '1m' }, on: ['5xx', 'timeout'] },
  concurrency: { limit: 1, key: '{{payload.customer}}' },
  do: [{ emit: { event: 'order.charged', payload: { id: '{{payload.id}}' } } }],
}
