import { execFile, spawnSync } from 'node:child_process'
import { promisify } from 'node:util'

/** Requests a second that wrk gets through with 64 connections: a load generator that leaves the cores (`0`, `0-1`) to what is measured. */
export async function throughput(
  url: string,
  authorization: string,
  { seconds, cores }: { seconds: number; cores: string },
): Promise<number> {
  if (spawnSync('wrk', ['-v']).error !== undefined)
    throw new Error('This bench sends its load with wrk: install it, for example with apt-get install wrk.')
  const { stdout } = await promisify(execFile)('taskset', [
    ...['-c', cores, 'wrk'],
    ...['-t', '1', '-c', '64', '-d', `${seconds}s`],
    ...['-H', `authorization: ${authorization}`, url],
  ])
  if (/Non-2xx/.test(stdout)) throw new Error(`Some requests failed:\n${stdout}`)
  return Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)?.[1])
}
