import { ConfigError, readConfig } from '@platform/config'
import { openCustomCode } from '@platform/custom-code'
import { FairPlaces } from '@platform/kernel'
import { type Outbound, openOutbound } from '@platform/outbound'
import { joinParts, type Service } from '@platform/service'
import { fetchRates } from './calls/call-fetch.ts'
import { callsPart } from './calls/calls-part.ts'
import { environment, type FunctionsConfig, functionsEnv } from './config.ts'

/** Runs functions in code, for the services that have them from their workspaces. It keeps nothing. */
export const functions: Service = {
  name: 'functions',
  variables: environment,
  address: (env) => readConfig(functionsEnv, env),
  async build(env, _resources, { log }) {
    const config = readConfig(functionsEnv, env)
    const outbound = outboundOf(config)
    const places = new FairPlaces({ each: config.fetchesAtOnce, all: config.fetchesAtOnce * WORKSPACES })
    const rates = fetchRates(config.throttling)
    const customCode = openCustomCode({ settings: config.code, log })
    return {
      port: config.port,
      host: config.host,
      internalApiKey: config.internalApiKey,
      readinessCacheTtlMs: config.readinessCacheTtlMs,
      ...joinParts(
        { closing: async () => await outbound[Symbol.asyncDispose]() },
        callsPart({ customCode, outbound, places, rates, userAgent: config.outside.userAgent, ...config }),
      ),
    }
  },
}

/** All workspaces together may fetch this many times as much at once as one. */
const WORKSPACES = 10
const ORIGINS = 20_000

function outboundOf({ outside: { userAgent: _, ...policy }, fetchesAtOnce }: FunctionsConfig): Outbound {
  try {
    return openOutbound({
      ...policy,
      resolvesItself: true,
      // The places decide how much is under way.
      connectionsPerOrigin: fetchesAtOnce * WORKSPACES,
      origins: ORIGINS,
    })
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new ConfigError([`FETCH_ALLOWED_HOSTS or FETCH_FORBIDDEN_HOSTS: ${reason}`])
  }
}
