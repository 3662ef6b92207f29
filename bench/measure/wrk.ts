import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { executable } from './tools.ts'

/** What is sent again and again, on each connection when the answer before has come. */
export interface WrkPlan {
  url: string
  authorization: string
  seconds: number
  connections?: number
  /** Makes it a POST of this JSON text. */
  json?: string
  /** The cores wrk may use (`0`, `0-1`); all without it. */
  cores?: string
}

const all = `0-${availableParallelism() - 1}`

/**
 * Requests a second that wrk gets through: a load generator that leaves the cores to what is measured. Rejects when
 * one is refused.
 */
export async function throughput(plan: WrkPlan): Promise<number> {
  const { url, authorization, seconds, connections = 64, json, cores = all } = plan
  const directory = mkdtempSync(join(tmpdir(), 'wrk-'))
  try {
    const { stdout } = await promisify(execFile)('taskset', [
      ...['-c', cores, executable('wrk'), '-t', '1', '-c', String(connections), '-d', `${seconds}s`],
      // A slow answer is one: how slow is told by others.
      ...['--timeout', '10s'],
      ...['-H', `authorization: ${authorization}`],
      ...(json === undefined ? [] : ['-H', 'content-type: application/json', '-s', script(directory, json)]),
      url,
    ])
    if (/Non-2xx|Socket errors/.test(stdout)) throw new Error(`Some requests failed:\n${stdout}`)
    return Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)?.[1])
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

function script(directory: string, json: string): string {
  const path = join(directory, 'post.lua')
  writeFileSync(path, `wrk.method = 'POST'\nwrk.body = [==[${json}]==]\n`)
  return path
}
