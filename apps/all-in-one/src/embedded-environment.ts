import { type Env, opsCommand, readConfig } from '@platform/config'
import { services, servicesBehindGateway } from '@platform/contracts'
import { freePort } from '@platform/service'
import { z } from 'zod'
import { firstStartSecrets } from './first-start-secrets.ts'
import { servicePorts } from './service-ports.ts'

/** What all in one reads for itself. */
export const allInOneEnv = z.object({
  DATA_DIRECTORY: z
    .string()
    .default('./.data')
    .describe(
      'Where all in one keeps its database, files, mails and secrets; one platform uses it at a time.',
    ),
  OPS_COMMAND: opsCommand,
})

/**
 * How many processes execute automations: one unless the environment says it. A text that is no number is told when
 * the variables are read.
 */
export const runtimeCount = ({ RUNTIME_PROCESSES = '1' }: Env): number =>
  /^\d+$/.test(RUNTIME_PROCESSES) ? Number(RUNTIME_PROCESSES) : 0

/** Defaults of the platform in one process: everything embedded, on loopback, development. The environment wins. */
export async function embeddedEnvironment(given: Env): Promise<Env> {
  const { DATA_DIRECTORY: data, OPS_COMMAND } = readConfig(allInOneEnv, given)
  const defaults = {
    OPS_COMMAND,
    NODE_ENV: 'development',
    HOST: '127.0.0.1',
    LOG_LEVEL: 'warn',
    DATABASE_URL: embeddedDatabase(data),
    CACHE_URL: 'memory:',
    BROKER_URL: 'postgres:',
    SEARCH_URL: 'postgres:',
    MAIL_DIRECTORY: `${data}/mail`,
    INSTALLATION_FILE: `${data}/installation`,
    SHUTDOWN_GRACE_MS: '9000',
    // One event loop runs automations, too: what is overload for a gateway alone is an ordinary moment here.
    GATEWAY_MAX_LAG_MS: '1000',
    // Each service is one process, here or beside this one.
    GATEWAY_LINKS: 'true',
  }
  const chosen: Env = { ...defaults, ...withoutEmpty(given) }
  const host = chosen.HOST ?? defaults.HOST
  const env: Env = { ...chosen, ...(await servicePorts(chosen, host)) }
  const addresses = { ...ownAddresses(env), ...(await runtimeAddresses(env, host)) }
  return { ...addresses, ...ownFiles(data, env), ...firstStartSecrets(data, given), ...env }
}

/** What migrating needs: where the database is, and nothing that a first start makes. */
export function migrationEnvironment(given: Env): Env {
  const { DATA_DIRECTORY: data } = readConfig(allInOneEnv, given)
  return { DATABASE_URL: embeddedDatabase(data), ...withoutEmpty(given) }
}

const embeddedDatabase = (data: string) => `embedded:${data}/postgres`

/** The services find each other and themselves where this process listens, also when a port was changed. */
function ownAddresses(env: Env): Env {
  const port = env.PORT ?? String(services['api-gateway'].port)
  return {
    API_URL: `http://localhost:${port}/v2`,
    INTERNAL_API_URL: `http://127.0.0.1:${port}/v2`,
    ...Object.fromEntries(
      servicesBehindGateway
        .map((name) => services[name])
        .map(({ urlVariable, portVariable }) => [urlVariable, `http://127.0.0.1:${env[portVariable]}`]),
    ),
  }
}

/** Each of several processes that execute automations is called by itself. */
async function runtimeAddresses(env: Env, host: string): Promise<Env> {
  const { portVariable, urlVariable } = services.runtime
  const ports = [Number(env[portVariable])]
  while (ports.length < runtimeCount(env)) ports.push(await freePort(0, host))
  return { [urlVariable]: ports.map((port) => `http://127.0.0.1:${port}`).join(',') }
}

/** Files lie beside the database, unless an S3 store is named. */
const ownFiles = (data: string, env: Env): Env =>
  env.UPLOADS_STORAGE_S3_LIKE_ENDPOINT === undefined ? { FILES_URL: `file:${data}/files` } : {}

const withoutEmpty = (env: Env): Env =>
  Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value !== ''))
