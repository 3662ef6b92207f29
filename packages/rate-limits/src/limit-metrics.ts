import { exposeReadings } from '@platform/http'

const fallbacks = new Map<string, { service: string; limit: string; count: number }>()
const local = new Map<string, boolean>()

exposeReadings(
  {
    name: 'platform_rate_limit_fallbacks_total',
    help: 'Uses of a limit that were counted by the process alone, because the cache did not answer.',
    type: 'counter',
  },
  () =>
    [...fallbacks.values()].map(({ service, limit, count }) => ({
      labels: { service, limit },
      value: count,
    })),
)

exposeReadings(
  {
    name: 'platform_rate_limit_local',
    help: '1 while a service counts limits by itself, because the cache does not answer.',
    type: 'gauge',
  },
  () => [...local].map(([service, isLocal]) => ({ labels: { service }, value: isLocal ? 1 : 0 })),
)

/** One use that was counted without the others. */
export function countFallback(service: string, limit: string): void {
  const key = `${service} ${limit}`
  const known = fallbacks.get(key)
  if (known === undefined) fallbacks.set(key, { service, limit, count: 1 })
  else known.count += 1
}

/** Whether a service counts by itself at the moment. */
export const setLocal = (service: string, isLocal: boolean): void => {
  local.set(service, isLocal)
}
