/** A document of the corpus: an event as the log keeps it. */
export interface CorpusDocument extends Record<string, unknown> {
  type: string
  createdAt: string
  source: Record<string, unknown>
  payload: Record<string, unknown>
  size: number
}

const FIRST_MS = Date.UTC(2026, 2, 27, 21, 30)
const STEP_MS = 7 * 3_600_000
const types = ['order.created', 'order.paid', 'order.shipped', 'app.log'] as const
const countries = ['DE', 'FR', 'US', 'DE', 'Österreich'] as const
const tags = [['red', 'green'], ['green', 'green'], [], ['blue', null, 7], ['7'], 'red'] as const
const pick = <T>(values: readonly T[], index: number): T => values[index % values.length] as T

/**
 * Forty events, seven hours apart, from Friday 27 March 2026 21:30 UTC on: over the change to summer time in Europe,
 * into April and the next quarter. `payload.number` counts them from 0.
 */
export const corpus: readonly CorpusDocument[] = Array.from({ length: 40 }, (_, number) => ({
  id: `01990000-0000-7000-8000-${String(number).padStart(12, '0')}`,
  type: pick(types, number),
  createdAt: new Date(FIRST_MS + number * STEP_MS).toISOString(),
  source: {
    workspaceId: 'w1',
    userId: `user-${number % 7}`,
    correlationId: `trace-${Math.trunc(number / 4)}`,
    automationDepth: number % 3,
    ...(number % 8 === 0 ? { automationSlug: `slug-${number}` } : {}),
  },
  payload: {
    number,
    amount: number * 2.5,
    balance: number - 20,
    country: pick(countries, number),
    tags: pick(tags, number),
    // 1 and "1" are one value; true is another.
    code: pick<unknown>([1, '1', 'A-1', true, null, 'a-1'], number),
    customer: { name: pick(['Ada Lovelace', 'Grace Hopper', 'Alan Turing'], number), vip: number % 10 === 0 },
    items: Array.from({ length: number % 3 }, (_item, index) => ({
      sku: `sku-${index}`,
      price: (index + 1) * 10,
    })),
    ...(number % 5 === 0 ? {} : { score: number / 4 }),
    ...(number % 9 === 0 ? { 'dotted.key': `dot-${number}` } : {}),
    ...(number % 4 === 1
      ? {
          paidAt: pick(
            ['2026-04-01T00:30:00+02:00', '2026-04-02', '2026-02-30', 'soon'],
            Math.trunc(number / 4),
          ),
        }
      : {}),
  },
  size: 100 + (number % 4) * 50,
}))
