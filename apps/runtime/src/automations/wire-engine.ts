import type { Database } from '@platform/database'
import type { Clock } from '@platform/kernel'
import type { Logger } from '@platform/logging'
import type { Permissions } from '@platform/permissions'
import type { RuntimeConfig } from '../config.ts'
import { contextStore } from '../contexts/context-store.ts'
import { deleteExpiredContexts } from '../contexts/delete-expired-contexts.ts'
import { createEngine } from './engine.ts'
import { createThrottle, unlimited } from './throttle.ts'

/** What runs automations, and the kept contexts they share. */
export function wireEngine(deps: {
  database: Database
  clock: Clock
  permissions: Permissions
  log: Logger
  config: RuntimeConfig
}) {
  const { clock, permissions, log, config } = deps
  const contexts = contextStore(deps.database)
  const engine = createEngine({
    clock,
    throttle: config.throttling === undefined ? unlimited : createThrottle(config.throttling),
    events: config.events,
    maxDepth: config.maxDepth,
    options: { ...config.expressions, now: () => clock.now() },
    urls: config.urls,
    contexts,
    log,
    lifetimes: config.lifetimes,
    contextSizes: config.contextSizes,
    roleOf: (userId, workspaceId) => permissions.roleOf(userId, workspaceId),
  })
  return { engine, jobs: [deleteExpiredContexts(contexts)] }
}
