import { compare } from './gateway/compare.ts'
import { memory } from './gateway/memory.ts'
import { scale } from './gateway/scale.ts'
import { startContest } from './gateway/under-test.ts'
import { sendPaced } from './identity/paced.ts'
import type { Figure } from './measure/figure.ts'

/** Minutes of load whose growth is measured: `--soak=10`. */
const soakMinutes = Number(process.argv.find((argument) => argument.startsWith('--soak='))?.slice(7) ?? 1)

/** The gateway against what people would otherwise put there, at 70 % of its load, over time, and on two cores. */
export async function gateway(): Promise<Figure[]> {
  const figures: Figure[] = []
  {
    await using contest = await startContest()
    const compared = await compare(contest)
    figures.push(...compared.figures)
    const calm = await sendPaced({
      url: `${contest.ours.url}/v2/workspaces`,
      authorization: `Bearer ${contest.under.token}`,
      issuer: '',
      perSecond: Math.round(compared.mostPerSecond * 0.7),
      connections: 64,
      durationMs: 10_000,
    })
    figures.push({
      name: `gateway: p99 at 70 % load (${Math.round(calm.perSecond)}/s)`,
      value: calm.p99Ms,
      unit: 'ms',
      goal: 10,
      needed: 20,
    })
    figures.push(...(await memory(contest.under, soakMinutes)))
  }
  return [...figures, ...(await scale())]
}
