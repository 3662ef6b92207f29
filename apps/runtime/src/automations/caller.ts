import type { Principal } from '@platform/auth'
import type { RunSubject } from './model.ts'

/** The person behind a request, as `user` and `session` show them; an API key is nobody (decisions I8). */
export function runSubjectOf(principal: Principal | undefined, ip: string): RunSubject {
  if (principal?.kind !== 'user') return { ip }
  const { userId, sessionId, email, anonymous } = principal
  return { userId, sessionId: sessionId === '' ? undefined : sessionId, email, anonymous, ip }
}
