import type { Dependency, FaultName } from './fault-platform.ts'

/**
 * What a fault may cost: kinds of requests that may be refused, and the statuses for it. All other kinds must be
 * served.
 */
export interface Row {
  refused: Partial<Record<string, readonly number[]>>
  /** Kinds of which at least one must be refused: the fault was there. */
  seen: readonly string[]
  /** Entry and module of the readiness report. */
  report: readonly [service: string, module: string]
  errors: readonly string[]
}

const everything = { me: [503], workspace: [503], hook: [503], emit: [503] }
const nothing = { refused: {}, seen: [] }
const ofService = (kind: string, name: string, fault: FaultName): Row => ({
  refused: { [kind]: fault === 'killed' || fault === 'down at start' ? [503] : [503, 504] },
  seen: [kind],
  report: [name, name],
  errors: ['ServiceUnavailable'],
})

/** What each fault may cost a client of the gateway. */
export function rowOf(dependency: Dependency, fault: FaultName): Row {
  switch (dependency) {
    case 'PostgreSQL':
      return {
        // Keys that were never loaded can't be published.
        refused: fault === 'down at start' ? { ...everything, jwks: [503] } : everything,
        seen: ['workspace', 'emit'],
        report: ['api-gateway', 'database'],
        errors: ['DatabaseError', 'ProbeTimeout'],
      }
    case 'Redis':
      return { ...nothing, report: ['api-gateway', 'sessionsRedis'], errors: ['CacheError', 'ProbeTimeout'] }
    case 'NATS':
      return { ...nothing, report: ['api-gateway', 'broker'], errors: ['BrokerError', 'ProbeTimeout'] }
    case 'runtime':
      return ofService('hook', 'runtime', fault)
    case 'events':
      return ofService('emit', 'events', fault)
    case 'workspaces':
      return ofService('workspace', 'workspaces', fault)
  }
}
