import { scriptOf } from './script.ts'

/** A use of a window that slides: of `limit` within any `windowMs`, `amount` is wanted now. */
export interface WindowUse {
  readonly windowMs: number
  readonly limit: number
  /** 0 only looks. */
  readonly amount: number
}

/** What became of it; what does not fit is not counted. */
export interface WindowState {
  readonly isTaken: boolean
  /** What is counted at this moment. */
  readonly used: number
  /** Milliseconds until there is room again; 0 where it was taken. */
  readonly waitMs: number
}

/** Uses are counted one by one up to this limit, else in steps of the window, as many as this. */
const STEPS = 1000

/**
 * Uses within one step count as long as the last of them: nothing above the limit ever gets through, and room is there
 * a thousandth of the window later at most.
 */
export const stepMs = ({ windowMs, limit, amount }: WindowUse): number =>
  limit <= STEPS && Number.isInteger(amount) ? 1 : Math.max(1, Math.ceil(windowMs / STEPS))

interface Use {
  readonly at: number
  count: number
}

/** The same as the script below, in this process. */
export class SlidingWindow {
  readonly #uses: Use[] = []
  #first = 0
  #used = 0

  take(use: WindowUse, nowMs: number): WindowState {
    const { windowMs, limit, amount } = use
    this.#forget(nowMs - windowMs)
    if (this.#used + amount > limit)
      return { isTaken: false, used: this.#used, waitMs: this.#wait(use, nowMs) }
    if (amount > 0) this.#add(Math.ceil(nowMs / stepMs(use)) * stepMs(use), amount)
    return { isTaken: true, used: this.#used, waitMs: 0 }
  }

  /** How many entries it holds. */
  get size(): number {
    return this.#uses.length
  }

  #forget(until: number): void {
    for (let use = this.#uses[this.#first]; use !== undefined && use.at <= until; ) {
      this.#used -= use.count
      this.#first += 1
      use = this.#uses[this.#first]
    }
    if (this.#first < this.#uses.length && this.#first <= STEPS) return
    this.#uses.splice(0, this.#first)
    this.#first = 0
    // What was added in fractions may leave a trace.
    if (this.#uses.length === 0) this.#used = 0
  }

  #add(at: number, amount: number): void {
    const last = this.#uses.at(-1)
    if (last?.at === at) last.count += amount
    else this.#uses.push({ at, count: amount })
    this.#used += amount
  }

  #wait({ windowMs, limit, amount }: WindowUse, nowMs: number): number {
    let excess = this.#used + amount - limit
    for (let index = this.#first; index < this.#uses.length; index += 1) {
      const { at, count } = this.#uses[index] as Use
      excess -= count
      if (excess <= 0) return Math.max(1, Math.ceil(at + windowMs - nowMs))
    }
    return Math.ceil(windowMs)
  }
}

/**
 * The uses of one window, by the clock of the server, which is the same for everybody: a hash with a number for each
 * entry, the oldest at `head`, the newest at `tail`.
 */
export const SLIDING_WINDOW = scriptOf(`local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local window, limit, amount, step = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local key = KEYS[1]
local state = redis.call('HMGET', key, 'head', 'tail', 'used')
local head, tail, used = tonumber(state[1] or 1), tonumber(state[2] or 0), tonumber(state[3] or 0)
local function read(entry)
  local at, count = string.match(entry, '(%d+) (.+)')
  return tonumber(at), tonumber(count)
end
local last, before = 0, 0
if head <= tail then
  local ends = redis.call('HMGET', key, state[1], state[2])
  local at, count = read(ends[1])
  while at + window <= now do
    used = used - count
    redis.call('HDEL', key, head)
    head = head + 1
    if head > tail then break end
    at, count = read(redis.call('HGET', key, head))
  end
  if head <= tail then last, before = read(ends[2]) else used = 0 end
else
  used = 0
end
local fits, wait = used + amount <= limit, 0
if not fits then
  local excess, index = used + amount - limit, head
  wait = window
  while index <= tail do
    local at, count = read(redis.call('HGET', key, index))
    excess = excess - count
    if excess <= 0 then
      wait = math.max(1, at + window - now)
      break
    end
    index = index + 1
  end
end
if fits and amount > 0 then
  local at, sum = math.ceil(now / step) * step, amount
  if last == at then sum = sum + before else tail = tail + 1 end
  used = used + amount
  local entry = string.format('%.0f %.17g', at, sum)
  redis.call('HSET', key, 'head', head, 'tail', tail, 'used', string.format('%.17g', used), tail, entry)
else
  redis.call('HSET', key, 'head', head, 'tail', tail, 'used', string.format('%.17g', used))
end
redis.call('PEXPIRE', key, math.ceil(window + step))
return { string.format('%.17g', used), string.format('%.0f', math.ceil(wait)) }`)
