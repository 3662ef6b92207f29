import type { Instance } from './instance.ts'
import type { Instances } from './instances.ts'
import type { CompiledRoute } from './match-route.ts'

/** The name of the instance a session belongs to, before the dot of its id. */
const SESSION = /[?&]sid=([0-9a-f]{12})\./

/**
 * The instance that began the session a query names, while it takes requests; else whichever takes one, but not the
 * one that failed.
 */
export function choose(
  instances: Instances,
  { to, affinity }: CompiledRoute,
  search: string,
  failed: Instance | undefined,
): Instance | undefined {
  const tag = affinity && failed === undefined ? SESSION.exec(search)?.[1] : undefined
  const named = tag === undefined ? undefined : instances.named(to, tag)
  return named ?? instances.choose(to, failed)
}
