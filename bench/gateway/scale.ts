import { execFileSync } from 'node:child_process'
import { processTree } from '@platform/testing/platform'
import { startUnderTest, type UnderTest } from '../forwarding/processes-under-test.ts'
import { type Figure, median } from '../measure/figure.ts'
import { throughput } from '../measure/wrk.ts'
import { startUpstream } from './haproxy.ts'
import { gatewayOfImage } from './image.ts'

const ROUNDS = 7
const SECONDS = 4

/**
 * Requests a second of two processes on two cores against one process on one core. Load and upstream stand on the
 * same cores each time: with a core of their own beside one process, and none beside two, they would be what is
 * measured. One process is measured on either core in turn, because two cores of a shared machine are seldom equally
 * fast.
 */
export async function scale(): Promise<Figure[]> {
  await using stack = new AsyncDisposableStack()
  const upstream = stack.use(await startUpstream())
  const upstreamPort = upstream.port
  const image = gatewayOfImage()
  const one = stack.use(await startUnderTest({ upstreamPort, ...image }))
  const two = stack.use(
    await startUnderTest({ upstreamPort, ...image, env: { ...image.env, GATEWAY_WORKERS: '2' } }),
  )
  const ratios: number[] = []
  const both: number[] = []
  const perSecond = async ({ gatewayUrl, gateway, token }: UnderTest, cores: string) => {
    for (const pid of processTree(gateway.pid, upstream.pid)) pin(pid, cores)
    const authorization = `Bearer ${token}`
    return await throughput({ url: `${gatewayUrl}/v2/workspaces`, authorization, seconds: SECONDS, cores })
  }
  for (const under of [one, two]) await perSecond(under, '0-1')
  for (let round = 0; round < ROUNDS; round += 1) {
    const first = await perSecond(one, '0')
    const double = await perSecond(two, '0-1')
    const second = await perSecond(one, '1')
    both.push(double)
    ratios.push(double / ((first + second) / 2))
  }
  return [
    {
      name: 'gateway: two processes on two cores',
      value: median(both),
      unit: 'requests/s',
      against: 'one on one',
      ratio: median(ratios),
      goal: 1.7,
      needed: 1.5,
      bigger: true,
    },
  ]
}

/** All threads of a process stay on these cores. */
const pin = (pid: number, cores: string): void =>
  void execFileSync('taskset', ['-a', '-c', '-p', cores, String(pid)], { stdio: 'ignore' })
