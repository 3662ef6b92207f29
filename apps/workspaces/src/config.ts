import { automationLimits, automationLimitVariables } from '@platform/automation-checks'
import {
  count,
  days,
  httpUrl,
  milliseconds,
  optionalPort,
  port,
  secret,
  storeVariables,
} from '@platform/config'
import { services } from '@platform/contracts'
import {
  type FunctionCallSettings,
  functionCallSettings,
  functionCallVariables,
} from '@platform/function-calls'
import { limitSettings, limitVariables } from '@platform/rate-limits'
import { z } from 'zod'

/** The environment of the workspaces service. */
export const workspacesEnv = z
  .object({
    PORT: port(services.workspaces.port).describe('Port of the service when it runs alone.'),
    WORKSPACES_PORT: optionalPort().describe(
      'Port of the workspaces service beside the others in one process.',
    ),
    HOST: z.string().default('0.0.0.0').describe('Address the service listens on.'),
    ...storeVariables,
    INTERNAL_API_KEY: secret.describe('Key the services of the platform show each other.'),
    INTERNAL_API_URL: httpUrl('http://127.0.0.1:3001/v2').describe(
      'Internal address of the gateway’s v2 path.',
    ),
    READINESS_CACHE_TTL_MS: milliseconds(30_000).describe('How long a readiness report is kept.'),
    WORKSPACE_TRASH_DAYS: days(30).describe('How long a deleted workspace can be restored.'),
    RUNS_RETENTION_DAYS: days(30).describe(
      'Days after which runs are dropped; what automations were is kept 40 days longer, for runs that began with it.',
    ),
    ...limitVariables(['createWorkspace']),
    API_KEYS_PER_WORKSPACE_MAX: count(1000).describe('API keys a workspace may have.'),
    ...automationLimitVariables,
    AUTOMATIONS_PER_WORKSPACE_MAX: count(2000).describe('Automations a workspace may have.'),
    FUNCTIONS_PER_WORKSPACE_MAX: count(500).describe('Functions in code a workspace may declare.'),
    FUNCTION_MAX_BYTES: count(200_000).describe(
      'Bytes a declared function may have as JSON, its code included.',
    ),
    ...functionCallVariables,
    BROKER_EMIT_MAXLEN: count(100_000).describe('Characters an event may have.'),
    BROKER_EMIT_EXECUTED_AUTOMATION_MAXLEN: count(10_000).describe(
      'Characters runtime.automations.executed may have.',
    ),
  })
  .transform((env) => ({
    port: env.WORKSPACES_PORT ?? env.PORT,
    host: env.HOST,
    databaseUrl: env.DATABASE_URL,
    cacheUrl: env.CACHE_URL,
    brokerUrl: env.BROKER_URL,
    internalApiKey: env.INTERNAL_API_KEY,
    gatewayUrl: `${new URL(env.INTERNAL_API_URL).origin}/`,
    readinessCacheTtlMs: env.READINESS_CACHE_TTL_MS,
    trashDays: env.WORKSPACE_TRASH_DAYS,
    runsRetentionDays: env.RUNS_RETENTION_DAYS,
    rateLimits: limitSettings(env),
    maxApiKeys: env.API_KEYS_PER_WORKSPACE_MAX,
    automationLimits: {
      ...automationLimits(env),
      automations: env.AUTOMATIONS_PER_WORKSPACE_MAX,
    },
    functionLimits: { functions: env.FUNCTIONS_PER_WORKSPACE_MAX, bytes: env.FUNCTION_MAX_BYTES },
    functions: checkingOnly(functionCallSettings(env)),
    eventLimits: {
      maxLength: env.BROKER_EMIT_MAXLEN,
      executedMaxLength: env.BROKER_EMIT_EXECUTED_AUTOMATION_MAXLEN,
    },
  }))

/** Here functions are only checked, when they are saved: few processes will do, and none for long. */
const checkingOnly = (settings: FunctionCallSettings): FunctionCallSettings => ({
  ...settings,
  javascript: { ...settings.javascript, workers: Math.min(2, settings.javascript.workers) },
  python: { ...settings.python, workers: 1 },
  idleMs: Math.min(60_000, settings.idleMs),
})

/** Everything the service reads, for the documents and the operators’ tool. */
export const environment: readonly z.ZodType[] = [workspacesEnv]
