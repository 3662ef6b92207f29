import { type AuthenticationCache, checkedSignatures } from '@platform/auth'
import { exposeReadings } from '@platform/http'

/** Shows how often credentials are known already, and how many sessions and tokens have ended, until disposed. */
export function exposeAuthentication({
  cache,
  revocations,
}: {
  cache: AuthenticationCache
  revocations: { readonly broadcastCount: number }
}): AsyncDisposable {
  const stack = new AsyncDisposableStack()
  const counter = (name: `platform_${string}`, help: string, read: () => number) =>
    stack.use(exposeReadings({ name, help, type: 'counter' }, () => [{ labels: {}, value: read() }]))
  counter('platform_caller_cache_hits_total', 'Credentials that had been checked before.', () => cache.hits)
  counter('platform_caller_cache_misses_total', 'Credentials that had to be checked.', () => cache.misses)
  counter('platform_jwt_signatures_checked_total', 'Signatures of JWTs that were checked.', checkedSignatures)
  counter(
    'platform_sessions_ended_total',
    'Sessions and tokens that ended before their time, by requests to this process.',
    () => revocations.broadcastCount,
  )
  stack.use(
    exposeReadings(
      { name: 'platform_caller_cache_entries', help: 'Credentials that are known.', type: 'gauge' },
      () => [{ labels: {}, value: cache.size }],
    ),
  )
  return stack
}
