import { setTimeout as pause } from 'node:timers/promises'
import { type LoadPlan, type LoadResult, sendLoad } from './load.ts'
import { cpuMeter } from './processes.ts'

/** What is done behind the answers, as storing events in the log, is over by then. */
export const AFTER_MS = 1000

/** What load has cost the processes that it was for: microseconds of their CPU a request. */
export interface LoadCost extends LoadResult {
  readonly micros: number
}

/** Sends load and counts what is used until `afterMs` after its end. Throws where a request failed. */
export async function costOf(plan: LoadPlan, pids: () => number[], afterMs = 0): Promise<LoadCost> {
  const used = cpuMeter(pids)
  const result = await sendLoad(plan)
  if (result.failures > 0)
    throw new Error(`${result.failures} of ${result.requests} requests to ${plan.url} failed.`)
  if (afterMs > 0) await pause(afterMs)
  return { ...result, micros: (used() / result.requests) * 1e6 }
}
