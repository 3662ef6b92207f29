import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePorts } from '@platform/testing/platform'
import { startUnderTest } from '../forwarding/processes-under-test.ts'
import { type Figure, median } from '../measure/figure.ts'
import { cannedUpstream, requireHaproxy } from './haproxy.ts'
import { gatewayOfImage } from './image.ts'
import { throughput } from './wrk.ts'

const ROUNDS = 3
const SECONDS = 5

/** Requests a second of two processes on one port against one process. */
export async function scale(): Promise<Figure[]> {
  await using stack = new AsyncDisposableStack()
  const directory = mkdtempSync(join(tmpdir(), 'scale-'))
  stack.defer(() => rmSync(directory, { recursive: true, force: true }))
  const [upstreamPort = 0] = await freePorts(1)
  const config = cannedUpstream(directory, {
    port: upstreamPort,
    body: JSON.stringify({ text: 'x'.repeat(1012) }),
  })
  const upstream = spawn(requireHaproxy(), ['-db', '-f', config], { stdio: 'inherit' })
  stack.defer(() => void upstream.kill())

  const image = gatewayOfImage()
  const one = stack.use(await startUnderTest({ upstreamPort, ...image }))
  const two = stack.use(
    await startUnderTest({ upstreamPort, ...image, env: { ...image.env, GATEWAY_WORKERS: '2' } }),
  )
  const ratios: number[] = []
  const both: number[] = []
  for (const under of [one, two])
    await throughput(`${under.gatewayUrl}/v2/workspaces`, `Bearer ${under.token}`, SECONDS)
  for (let round = 0; round < ROUNDS; round += 1) {
    const [single, double] = [await perSecond(one), await perSecond(two)]
    both.push(double)
    ratios.push(double / single)
  }
  return [
    {
      name: 'gateway: two processes',
      value: median(both),
      unit: 'requests/s',
      against: 'one process',
      ratio: median(ratios),
      goal: 1.7,
      needed: 1.5,
      bigger: true,
    },
  ]
}

const perSecond = ({ gatewayUrl, token }: { gatewayUrl: string; token: string }) =>
  throughput(`${gatewayUrl}/v2/workspaces`, `Bearer ${token}`, SECONDS)
