import type { Figure } from '../measure/figure.ts'
import type { Seeded } from './seed.ts'

const WARM_UP = 20
const ROUNDS = 200

/** Whose feed is read, and where. */
export interface Feed {
  origin: string
  workspaceId: string
  authorization: string
}

/** The questions that people ask a feed: its newest page, one further back, by type, by a field, by words. */
const questions = ({ ids, types, cities, customer }: Seeded): Record<string, () => string> => {
  const any = <T>(list: readonly T[]): T => list[Math.floor(Math.random() * list.length)] as T
  return {
    newest: () => '',
    older: () => `&beforeId=${any(ids)}`,
    'one type': () => `&types=${any(types)}`,
    'one type, older': () => `&types=${any(types)}&beforeId=${any(ids)}`,
    'a field few have': () => `&payload.order.customer=${customer(Math.random())}`,
    'a field many have': () => `&payload.city=${any(cities)}`,
    'a rare word': () => `&text=${Math.floor(Math.random() * ids.length * 5000)}`,
    'two words': () => `&text=${any(cities).toLowerCase()}%20carrier`,
  }
}

/** Pages of 50, one after the other: each kind of question on its own and p99 of all. */
export async function pages(store: string, feed: Feed, seeded: Seeded): Promise<Figure[]> {
  const all: number[] = []
  const figures: Figure[] = []
  for (const [name, question] of Object.entries(questions(seeded))) {
    const took: number[] = []
    for (let round = 0; round < WARM_UP + ROUNDS; round += 1) {
      const ms = await page(feed, question())
      if (round >= WARM_UP) took.push(ms)
    }
    all.push(...took)
    figures.push({ name: `feed in ${store}: ${name}, p99`, value: p99(took), unit: 'ms' })
  }
  const name = `feed in ${store}: page of 50, p99`
  return [...figures, { name, value: p99(all), unit: 'ms', goal: 30, needed: 100 }]
}

async function page({ origin, workspaceId, authorization }: Feed, question: string): Promise<number> {
  const startedAt = performance.now()
  const answer = await fetch(`${origin}/v2/workspaces/${workspaceId}/events?limit=50${question}`, {
    headers: { authorization },
  })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`The feed answered ${answer.status} to ${question}: ${text}`)
  return performance.now() - startedAt
}

function p99(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * 0.99)] ?? Number.NaN
}
