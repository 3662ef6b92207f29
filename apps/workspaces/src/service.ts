import { openAudit } from '@platform/audit'
import { readConfig } from '@platform/config'
import { migrate } from '@platform/database'
import { openIdempotency } from '@platform/idempotency'
import { openPermissions } from '@platform/permissions'
import { rateLimiter } from '@platform/rate-limits'
import type { Service } from '@platform/service'
import { wireApiKeys } from './api-keys/wire-api-keys.ts'
import { automationStore } from './automations/automation-store.ts'
import { createAutomation } from './automations/create-automation.ts'
import { deleteAutomation } from './automations/delete-automation.ts'
import { getAutomation } from './automations/get-automation.ts'
import { indexAutomations } from './automations/index-automations.ts'
import { listAutomations } from './automations/list-automations.ts'
import { patchAutomation } from './automations/patch-automation.ts'
import { changeStore } from './changes/change-store.ts'
import { workspacesChecks } from './checks.ts'
import { environment, workspacesEnv } from './config.ts'
import { createSampleWorkspace } from './sample-workspace/create-sample-workspace.ts'
import { createWorkspace } from './workspaces/create-workspace.ts'
import { deleteWorkspace } from './workspaces/delete-workspace.ts'
import { emptyTrash } from './workspaces/empty-trash.ts'
import { getWorkspace } from './workspaces/get-workspace.ts'
import { listWorkspaces } from './workspaces/list-workspaces.ts'
import { patchWorkspace } from './workspaces/patch-workspace.ts'
import { restoreWorkspace } from './workspaces/restore-workspace.ts'
import { workspaceStore } from './workspaces/workspace-store.ts'

export { workspacesEnv } from './config.ts'

/** Keeps workspaces and what belongs to them. */
export const workspaces: Service = {
  name: 'workspaces',
  variables: environment,
  address: (env) => readConfig(workspacesEnv, env),
  async build(env, resources, { clock, log }) {
    const config = readConfig(workspacesEnv, env)
    const database = await resources.database(config.databaseUrl)
    const broker = await resources.broker(config.brokerUrl, config.databaseUrl)
    const cache = await resources.cache(config.cacheUrl)
    const limits = rateLimiter({ cache, log, service: 'workspaces', settings: config.rateLimits })
    const outbox = await resources.outbox(config.brokerUrl, config.databaseUrl, config.eventLimits)
    await migrate(database, 'workspaces', new URL('../migrations/', import.meta.url))
    const permissions = await openPermissions({ database, clock })
    const audit = await openAudit({ database, clock })
    const idempotency = await openIdempotency({ database, pepper: config.internalApiKey })

    const automations = automationStore(database)
    const stores = { workspaces: workspaceStore(database), automations }
    const changes = changeStore(database, outbox, {
      workspaces: workspaceStore,
      automations: automationStore,
    })
    const deps = {
      ...stores,
      changes,
      permissions,
      clock,
      eventMaxLength: config.eventLimits.maxLength,
      limits: config.automationLimits,
    }
    return {
      port: config.port,
      host: config.host,
      internalApiKey: config.internalApiKey,
      readinessCacheTtlMs: config.readinessCacheTtlMs,
      routes: [
        createWorkspace(deps),
        listWorkspaces(deps),
        getWorkspace({ ...deps, indexAutomations: indexAutomations(automations) }),
        patchWorkspace(deps),
        deleteWorkspace(deps),
        restoreWorkspace(deps),
        createAutomation(deps),
        listAutomations(deps),
        getAutomation(deps),
        patchAutomation(deps),
        deleteAutomation(deps),
        createSampleWorkspace(deps),
        ...wireApiKeys({ database, outbox, audit, permissions, clock, maxKeys: config.maxApiKeys }).routes,
      ],
      routeServices: { idempotency: idempotency.store, rateLimiter: limits, permissions },
      subscriptions: [],
      jobs: [emptyTrash({ changes, clock, trashDays: config.trashDays }), ...idempotency.jobs],
      checks: workspacesChecks({ database, broker, gatewayUrl: config.gatewayUrl }),
    }
  },
}
