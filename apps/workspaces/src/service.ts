import { auditMigrations, openAudit } from '@platform/audit'
import { outboxMigrations } from '@platform/broker'
import { readConfig } from '@platform/config'
import { installationMigrations, type Migrations } from '@platform/database'
import { openFunctionCalls } from '@platform/function-calls'
import { idempotencyMigrations, openIdempotency } from '@platform/idempotency'
import { openPermissions, permissionStore, permissionsMigrations } from '@platform/permissions'
import { rateLimiter } from '@platform/rate-limits'
import { joinParts, type Service } from '@platform/service'
import { apiKeysPart } from './api-keys/api-keys-part.ts'
import { automationStore } from './automations/automation-store.ts'
import { automationsPart } from './automations/automations-part.ts'
import { definitionHistoryStore } from './automations/definition-history-store.ts'
import { changeStore } from './changes/change-store.ts'
import { workspacesChecks } from './checks.ts'
import { environment, workspacesEnv } from './config.ts'
import { functionStore } from './functions/function-store.ts'
import { functionsPart } from './functions/functions-part.ts'
import { createSampleWorkspace } from './sample-workspace/create-sample-workspace.ts'
import { suspensionsPart } from './suspensions/suspensions-part.ts'
import { workspaceStore } from './workspaces/workspace-store.ts'
import { workspacesPart } from './workspaces/workspaces-part.ts'

export { workspacesEnv } from './config.ts'

const workspacesMigrations: Migrations = {
  schema: 'workspaces',
  directory: new URL('../migrations/', import.meta.url),
}

/** Keeps workspaces and what belongs to them. */
export const workspaces: Service = {
  name: 'workspaces',
  variables: environment,
  migrations: [
    installationMigrations,
    outboxMigrations,
    workspacesMigrations,
    permissionsMigrations,
    auditMigrations,
    idempotencyMigrations,
  ],
  address: (env) => readConfig(workspacesEnv, env),
  async build(env, resources, { clock, log }) {
    const config = readConfig(workspacesEnv, env)
    const database = await resources.database(config.databaseUrl)
    const broker = await resources.broker(config.brokerUrl, config.databaseUrl)
    const cache = await resources.cache(config.cacheUrl)
    const limits = rateLimiter({ cache, log, service: 'workspaces', settings: config.rateLimits })
    const outbox = await resources.outbox(config.brokerUrl, config.databaseUrl, config.eventLimits)
    const permissions = await openPermissions({ database, clock })
    const audit = await openAudit({ database, clock })
    const idempotency = await openIdempotency({ database, pepper: config.internalApiKey })

    const changes = changeStore(database, outbox, (tx) => ({
      workspaces: workspaceStore(tx),
      automations: automationStore(tx),
      functions: functionStore(tx),
    }))
    const eventMaxLength = config.eventLimits.maxLength
    const automations = automationsPart({
      automations: automationStore(database),
      history: definitionHistoryStore(database),
      changes,
      clock,
      eventMaxLength,
      limits: config.automationLimits,
      runsRetentionDays: config.runsRetentionDays,
    })
    const workspaces = workspacesPart({
      workspaces: workspaceStore(database),
      suspensions: permissionStore(database),
      automations,
      changes,
      permissions,
      clock,
      eventMaxLength,
      trashDays: config.trashDays,
    })
    const suspensions = suspensionsPart({ database, outbox, audit, permissions, clock })
    const apiKeys = apiKeysPart({ database, outbox, audit, permissions, clock, maxKeys: config.maxApiKeys })

    const calls = openFunctionCalls({ ...config, log })
    const functions = functionsPart({
      database,
      outbox,
      audit,
      permissions,
      calls,
      clock,
      eventMaxLength,
      limits: config.functionLimits,
    })

    return {
      port: config.port,
      host: config.host,
      internalApiKey: config.internalApiKey,
      readinessCacheTtlMs: config.readinessCacheTtlMs,
      routeServices: { idempotency: idempotency.store, rateLimiter: limits, permissions },
      ...joinParts(workspaces, automations.part, functions, apiKeys, suspensions, {
        routes: [createSampleWorkspace({ changes, clock, eventMaxLength })],
        jobs: idempotency.jobs,
        checks: workspacesChecks({ database, broker, gatewayUrl: config.gatewayUrl }),
      }),
    }
  },
}
