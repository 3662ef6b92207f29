import { retryAfterMsOf } from '@platform/kernel'
import type { FetchAnswer, FetchFailure } from './fetch-answer.ts'

/** Who asks for more patience than this is not asked again. */
export const LONGEST_PAUSE_MS = 60_000

/** What a request may be sent again for. */
export interface FetchFault {
  readonly name: string
  /** 0 where no answer came. */
  readonly status: number
  /** The pause that the other side wants. */
  readonly asksForMs?: number
}

/** What is wrong with the result of a request; undefined where nothing is. */
export function faultOf(result: FetchAnswer | FetchFailure): FetchFault | undefined {
  if ('error' in result) return { name: result.error.name, status: 0 }
  if (result.status < 400) return undefined
  const askedMs = askedPauseMs(result)
  const asksFor = askedMs === undefined ? {} : { asksForMs: Math.min(askedMs, LONGEST_PAUSE_MS) }
  return { name: '', status: result.status, ...asksFor }
}

/** What an answer says in `Retry-After`. */
export function askedPauseMs({ headers }: FetchAnswer): number | undefined {
  const asked = headers['retry-after']
  return typeof asked === 'string' ? retryAfterMsOf(asked, new Date()) : undefined
}
