import { isOver, type RateLimit } from '../rate-limits/rate-limit.ts'
import type { RateLimiter } from '../rate-limits/rate-limiter.ts'
import { LOCAL_PROVIDER, type SignInLog } from '../sign-in-log/sign-in-log.ts'
import type { UserRecord } from '../users/user.ts'

/** Six digits can be guessed: so often for an account, and from one address for those who have many passwords. */
const PER_ACCOUNT: RateLimit = { name: 'second-factor', points: 5, seconds: 60 }
const PER_IP: RateLimit = { name: 'second-factor-ip', points: 60, seconds: 60 }

interface Visit {
  ip: string
  correlationId?: string
}

/** Does `attempt` when there were not too many; an attempt that comes to nothing is logged. */
export const codeAttempts =
  ({ rateLimiter, signInLog }: { rateLimiter: RateLimiter; signInLog: Pick<SignInLog, 'codeFailed'> }) =>
  async <T>(
    user: UserRecord,
    visit: Visit,
    attempt: () => Promise<T | undefined>,
  ): Promise<T | 'wrong' | { tooManySeconds: number }> => {
    const states = await Promise.all([
      rateLimiter.take(PER_ACCOUNT, user.id),
      rateLimiter.take(PER_IP, visit.ip),
    ])
    const over = states.filter((state) => state !== undefined && isOver(state))
    if (over.length > 0) return { tooManySeconds: Math.max(...over.map((state) => state?.resetSeconds ?? 0)) }
    const result = await attempt()
    if (result !== undefined) return result
    await signInLog.codeFailed({ provider: LOCAL_PROVIDER, userId: user.id, email: user.email, ...visit })
    return 'wrong'
  }
