import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/** What the load process sends, again and again. */
export interface LoadPlan {
  url: string
  method: 'GET' | 'POST'
  headers: Record<string, string>
  body?: string
  connections: number
  durationMs: number
  /** Milliseconds each connection rests after an answer; without it, none. */
  restMs?: number
}

export interface LoadResult {
  requests: number
  failures: number
  seconds: number
  p50Ms: number
  p99Ms: number
}

/** Sends load from a process of its own, so that its CPU is nobody else's. */
export async function sendLoad(plan: LoadPlan): Promise<LoadResult> {
  const child = fork(fileURLToPath(new URL('./load-process.ts', import.meta.url)))
  child.send(plan)
  const [result] = (await once(child, 'message')) as [LoadResult]
  await once(child, 'exit')
  return result
}
