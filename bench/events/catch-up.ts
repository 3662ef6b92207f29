import { setTimeout as pause } from 'node:timers/promises'
import type { Figure } from '../measure/figure.ts'

/** What `GET /v2/platform/events/index` says. */
interface State {
  stage: string
  answeredBy: string
  progress: { copied: number; total: number } | null
}

/** Documents a second that an empty index takes from the log; resolves when it answers. */
export async function catchUp(origin: string, authorization: string): Promise<Figure> {
  const ask = async () => {
    const answer = await fetch(`${origin}/v2/platform/events/index`, { headers: { authorization } })
    if (!answer.ok)
      throw new Error(`The state of the index answered ${answer.status}: ${await answer.text()}`)
    return (await answer.json()) as State
  }
  await until(ask, ({ stage }) => stage === 'building')
  const startedAt = performance.now()
  const { progress } = await until(ask, ({ stage }) => stage !== 'building')
  const seconds = (performance.now() - startedAt) / 1000
  await until(ask, ({ answeredBy }) => answeredBy === 'index')
  const value = (progress?.copied ?? 0) / seconds
  return {
    ...{ name: 'events: index catch-up, OpenSearch', value, unit: 'docs/s' },
    ...{ goal: 2000, needed: 1000, bigger: true },
  }
}

async function until(ask: () => Promise<State>, isReached: (state: State) => boolean): Promise<State> {
  for (let told = 0; ; ) {
    const state = await ask()
    if (isReached(state)) return state
    const { copied, total } = state.progress ?? { copied: 0, total: 0 }
    if (copied >= told + 100_000) {
      told = copied
      console.error(`events: the index has ${copied} of ${total} …`)
    }
    await pause(100)
  }
}
