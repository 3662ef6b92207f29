import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/** Requests at a fixed rate. */
export interface PacedPlan {
  url: string
  /** A header value; empty for none; `unknown keys` for a new forged JWT each time. */
  authorization: string
  issuer: string
  headers?: Record<string, string>
  /** Makes it a POST of this form. */
  form?: string
  perSecond: number
  connections: number
  durationMs: number
}

export interface PacedResult {
  statuses: Record<string, number>
  perSecond: number
  p50Ms: number
  p99Ms: number
  maxMs: number
}

/** Sends from a process of its own. */
export async function sendPaced(plan: PacedPlan): Promise<PacedResult> {
  const child = fork(fileURLToPath(new URL('./paced-process.ts', import.meta.url)))
  child.send(plan)
  const [result] = (await once(child, 'message')) as [PacedResult]
  await once(child, 'exit')
  return result
}
