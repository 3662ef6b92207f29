import { Answer, answer } from '@platform/http'
import type { Clock } from '@platform/kernel'
import { isOver, limitHeaders, type RateLimit, tooManyRequests } from './rate-limit.ts'
import type { RateLimiter } from './rate-limiter.ts'

/** Does `work` when `key` is within the limit. The answer, and the refusal, carry the headers of the limit (decisions A8). */
export type Limited = (limit: RateLimit, key: string, work: () => Promise<unknown>) => Promise<Answer>

export const limited =
  (deps: { rateLimiter: RateLimiter; clock: Clock }): Limited =>
  async (limit, key, work) => {
    const state = await deps.rateLimiter.take(limit, key)
    const headers = limitHeaders(state, deps.clock)
    if (state !== undefined && isOver(state)) {
      const failure = tooManyRequests(state)
      return answer(JSON.stringify(failure), {
        status: failure.status,
        headers: { ...headers, 'retry-after': String(failure.retryAfterSeconds) },
        contentType: 'application/json; charset=utf-8',
      })
    }
    const result = await work()
    if (!(result instanceof Answer)) return answer(result, { headers })
    const { body, status, contentType } = result
    return new Answer(body, {
      headers: { ...headers, ...result.headers },
      ...(status === undefined ? {} : { status }),
      ...(contentType === undefined ? {} : { contentType }),
    })
  }
