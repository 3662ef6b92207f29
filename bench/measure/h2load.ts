import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { median } from './figure.ts'
import { executable } from './tools.ts'

/** Requests at an even pace, whatever the answers do. */
export interface PacedLoad {
  url: string
  authorization: string
  perSecond: number
  connections: number
  seconds: number
}

export interface Latencies {
  requests: number
  perSecond: number
  p50Ms: number
  p99Ms: number
}

const WARM_UP_SECONDS = 3

/**
 * How long answers take at a pace, measured by h2load: it collects no garbage and takes little of the cores. Each
 * latency counts from the instant its request was due, so that those which an answer held up count as well. Rejects
 * when a request is refused.
 */
export async function sendPaced(load: PacedLoad): Promise<Latencies> {
  // In memory: a disk that is busy would hold up the sender.
  const directory = mkdtempSync('/dev/shm/h2load-')
  const log = join(directory, 'requests')
  const { url, authorization, perSecond, connections, seconds } = load
  try {
    await promisify(execFile)(executable('h2load'), [
      ...['--h1', '-t', '1', '-m', '1', '-c', String(connections), '--rps', String(perSecond / connections)],
      ...['-D', String(seconds), '--warm-up-time', String(WARM_UP_SECONDS), '--log-file', log],
      ...['-H', `authorization: ${authorization}`, url],
    ])
    return latenciesOf(readFileSync(log, 'utf8'), load)
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

/** A line a request: when it was sent, its status, how long it took, in microseconds. */
function latenciesOf(log: string, { perSecond, connections, seconds }: PacedLoad): Latencies {
  const requests = log
    .trim()
    .split('\n')
    .map((line) => {
      const [at = 0, status, took = 0] = line.split('\t').map(Number)
      if (status !== 200) throw new Error(`A request was answered with ${status}.`)
      return { at, took }
    })
    .sort((a, b) => a.at - b.at)
  const dueAt = schedule(
    requests.map(({ at }) => at),
    connections,
    (connections / perSecond) * 1e6,
  )
  const latencies = requests
    .map(({ at, took }, index) => (Math.max(0, at - dueAt(index)) + took) / 1000)
    .sort((a, b) => a - b)
  const share = (part: number) => latencies[Math.floor((latencies.length - 1) * part)] ?? Number.NaN
  return {
    requests: requests.length,
    perSecond: requests.length / seconds,
    p50Ms: share(0.5),
    p99Ms: share(0.99),
  }
}

/** When each was due: once a period on each connection, at the place in the period that it mostly has. */
function schedule(sentAt: readonly number[], connections: number, period: number): (index: number) => number {
  const begunAt = (index: number) => Math.floor(index / connections) * period
  const places = Array.from({ length: connections }, (_, place) =>
    median(sentAt.flatMap((at, index) => (index % connections === place ? [at - begunAt(index)] : []))),
  )
  return (index) => begunAt(index) + (places[index % connections] ?? Number.NaN)
}
