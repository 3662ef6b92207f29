import { DAY_MS, HOUR_MS, SECOND_MS } from '@platform/kernel'

const FIRST_PAUSE_MS = 5 * SECOND_MS
const LONGEST_PAUSE_MS = 6 * HOUR_MS
const GROWTH = 3

/** Tries of a delivery end this long after the first one. */
const TRIES_MS = DAY_MS

interface Asked {
  /** Tries so far, at least one. */
  tries: number
  begunAt: Date
  now: Date
  /** What the endpoint asked for, in milliseconds. */
  retryAfterMs: number | undefined
  /** 0 to 1. */
  random: number
}

/**
 * When a delivery is tried again; undefined when its 24 hours are over. Pauses grow threefold from 5 s to 6 h, with
 * ±20 % jitter; a longer `Retry-After` is honoured up to the longest pause. The last try is at the end of the 24
 * hours.
 */
export function nextTry({ tries, begunAt, now, retryAfterMs = 0, random }: Asked): Date | undefined {
  const end = begunAt.getTime() + TRIES_MS
  if (now.getTime() >= end) return undefined
  const pauseMs = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * GROWTH ** Math.min(tries - 1, 20))
  const jitteredMs = pauseMs * (0.8 + 0.4 * random)
  const askedMs = Math.min(LONGEST_PAUSE_MS, retryAfterMs)
  return new Date(Math.min(end, now.getTime() + Math.max(jitteredMs, askedMs)))
}

/** `Retry-After` in milliseconds: seconds or an HTTP date; undefined when it can't be read. */
export function retryAfterMsOf(header: string | null, now: Date): number | undefined {
  if (header === null) return undefined
  if (/^\d{1,9}$/.test(header)) return Number(header) * SECOND_MS
  const at = Date.parse(header)
  return Number.isNaN(at) ? undefined : Math.max(0, at - now.getTime())
}
