import { startAllInOne } from '@platform/testing/platform'
import { type Figure, median } from './measure/figure.ts'
import { workspaceToCall } from './measure/signed-in.ts'
import { smallMemory } from './measure/small-memory.ts'

const INSTRUCTIONS = 400_000
const ROUNDS = 7

/** What a round of the `repeat` does, by the instruction that it is about. */
const steps: Readonly<Record<string, readonly object[]>> = {
  // A round has to do something; twice the same, what one costs is the difference.
  none: [{ comment: 'nothing' }],
  set: [{ comment: 'nothing' }, { set: { name: 'n', value: 1 } }],
  conditions: [{ comment: 'nothing' }, { conditions: { '{{never}}': [{ comment: 'nothing' }] } }],
}

/** What an instruction costs beside what it does, from how long runs of many of them take longer than without. */
export async function instructions(): Promise<Figure[]> {
  await using platform = await startAllInOne({
    ...smallMemory,
    LOG_LEVEL: 'warn',
    RATE_LIMIT_DISABLED: 'true',
  })
  const { workspaceId, post } = await workspaceToCall(platform)
  const base = `/v2/workspaces/${workspaceId}`
  for (const [slug, list] of Object.entries(steps)) {
    const repeat = { repeat: { until: INSTRUCTIONS, do: list } }
    await post(`${base}/automations`, { slug, name: slug, when: { endpoint: true }, do: [repeat], output: 1 })
  }
  const microsOf = async (slug: string) => {
    const beganAt = performance.now()
    await post(`${base}/webhooks/${slug}`, {})
    return ((performance.now() - beganAt) / INSTRUCTIONS) * 1000
  }
  const micros = new Map(Object.keys(steps).map((slug) => [slug, [] as number[]]))
  for (let round = 0; round <= ROUNDS; round += 1)
    for (const [slug, list] of micros) {
      const one = await microsOf(slug)
      // The first is compiled.
      if (round > 0) list.push(one)
    }
  const [none = [], set = [], conditions = []] = micros.values()
  const over = (list: readonly number[]) =>
    median(list.map((one, round) => one - (none[round] ?? Number.NaN)))
  const limits = { unit: 'µs', goal: 0.5, needed: 1 }
  return [
    { name: 'instruction: set', value: over(set), ...limits },
    { name: 'instruction: conditions', value: over(conditions), ...limits },
    { name: 'instruction: a round of repeat', value: median(none), ...limits },
  ]
}
