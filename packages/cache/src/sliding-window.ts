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
 * The uses of one window, by the clock of the server, which is the same for everybody: a hash with a field for each
 * entry but the newest, and `state`, which has that, the bounds, the sum, and when the oldest was. Numbers are packed,
 * not written out: that is most of what the script takes, and a use that goes to the newest entry reads and writes one
 * field only.
 */
export const SLIDING_WINDOW = scriptOf(`local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local window, limit, amount, step = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local key = KEYS[1]
local head, tail, used, first, last, count = 1, 0, 0, 0, 0, 0
local state = redis.call('HGET', key, 'state')
if state then head, tail, used, first, last, count = struct.unpack('dddddd', state) end
local function read(entry)
  if entry == tail then return last, count end
  return struct.unpack('dd', redis.call('HGET', key, entry))
end
local changed = false
while head <= tail and first + window <= now do
  local _, gone = read(head)
  used = used - gone
  if head < tail then redis.call('HDEL', key, head) end
  head = head + 1
  if head <= tail then first = read(head) end
  changed = true
end
local isEmpty = head > tail
if isEmpty then used = 0 end
local wait = 0
if used + amount > limit then
  local excess, entry = used + amount - limit, head
  wait = window
  while entry <= tail do
    local at, part = read(entry)
    excess = excess - part
    if excess <= 0 then
      wait = math.max(1, at + window - now)
      break
    end
    entry = entry + 1
  end
elseif amount > 0 then
  local at = math.ceil(now / step) * step
  if at == last and not isEmpty then
    count = count + amount
  else
    if isEmpty then first = at else redis.call('HSET', key, tail, struct.pack('dd', last, count)) end
    tail, last, count = tail + 1, at, amount
  end
  used = used + amount
  changed = true
end
if changed then
  redis.call('HSET', key, 'state', struct.pack('dddddd', head, tail, used, first, last, count))
  redis.call('PEXPIRE', key, math.ceil(window + step))
end
if used % 1 ~= 0 then used = string.format('%.17g', used) end
return { used, math.ceil(wait) }`)

/** What the script is called with, in its order. */
export const windowArguments = (use: WindowUse): readonly number[] => [
  use.windowMs,
  use.limit,
  use.amount,
  stepMs(use),
]
