import { z } from 'zod'
import { Duration } from './duration.ts'

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
  backoff: z.union([Backoff, Duration]).optional().describe('The pauses between; a duration is `initial`.'),
  on: RetryOn.optional(),
})
export type Retry = z.infer<typeof Retry>

/** How the queued runs of an automation are treated, as it is checked when it is saved. */
export const durability = {
  priority: Priority.optional(),
  retry: Retry.nullish().describe(
    'A run that fails is begun again, from its beginning and with the same input.',
  ),
}

/** The same as it is read: what was saved before there was such a field, and can't be one, says nothing. */
export const savedDurability = {
  priority: Priority.optional().catch(undefined),
  retry: Retry.nullish().catch(undefined),
}

/** An automation that says how its queued runs are treated, as the documents show it. */
export const durabilityExample = {
  slug: 'charge',
  name: 'charge',
  when: { events: ['order.placed'] },
  priority: 10,
  retry: { attempts: 4, backoff: { initial: '2s', max: '1m' }, on: ['5xx', 'timeout'] },
  do: [{ emit: { event: 'order.charged', payload: { id: '{{payload.id}}' } } }],
}
