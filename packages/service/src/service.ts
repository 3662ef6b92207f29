import type { RequestListener, Server } from 'node:http'
import type { Env } from '@platform/config'
import type { ServiceName, ServiceReport, Setting } from '@platform/contracts'
import type { Migrations } from '@platform/database'
import type { Mount, Route, RouteServices } from '@platform/http'
import type { Clock } from '@platform/kernel'
import type { Logger } from '@platform/logging'
import type { Check } from '@platform/readiness'
import type { z } from 'zod'
import type { Job } from './job.ts'
import type { Resources } from './resources.ts'
import type { Subscription } from './subscriptions.ts'

/** What a service is given beside its environment and its resources. */
export interface ServiceContext {
  log: Logger
  clock: Clock
  /** Version of the product, from the root package.json. */
  version: string
  /** True where the process runs in development: it then shows what production keeps to itself. */
  development: boolean
  /** Every variable the process reads, for operators; secrets only as their length. */
  settings?: (() => Setting[]) | undefined
  /** On what was found when the schemas were migrated, for a service with a report of its own. */
  schemaChecks?: readonly Check[]
}

/** What an area brings into its service: a folder, or folders that change together. All of it is optional. */
export interface Part {
  routes?: readonly Route[]
  subscriptions?: readonly Subscription[]
  jobs?: readonly Job[]
  /** What the readiness of the service depends on. */
  checks?: readonly Check[]
  mounts?: readonly Mount[]
  /** Called with the listening server, for example to handle upgrades. */
  attach?: (server: Server) => void
  /** Called when the service begins to stop, for what outlives requests, for example upgraded connections. */
  leaving?: () => void
  /** Called last, when nothing of the service is at work any more, for what the part opened and no resource closes. */
  closing?: () => Promise<void>
}

/**
 * Makes one part of several. They are closed one after the other in reverse order: a later part may use an earlier one.
 * One that can't be closed keeps no other open; then closing rejects with its error, or with an AggregateError of all.
 */
export function joinParts(...parts: readonly Part[]): Required<Part> {
  return {
    routes: parts.flatMap(({ routes = [] }) => routes),
    subscriptions: parts.flatMap(({ subscriptions = [] }) => subscriptions),
    jobs: parts.flatMap(({ jobs = [] }) => jobs),
    checks: parts.flatMap(({ checks = [] }) => checks),
    mounts: parts.flatMap(({ mounts = [] }) => mounts),
    attach: (server) => {
      for (const part of parts) part.attach?.(server)
    },
    leaving: () => {
      for (const part of parts) part.leaving?.()
    },
    closing: async () => {
      const errors: unknown[] = []
      for (const part of [...parts].reverse())
        await part.closing?.().catch((error: unknown) => void errors.push(error))
      if (errors.length > 1) throw new AggregateError(errors, 'Several parts could not be closed.')
      if (errors.length === 1) throw errors[0]
    },
  }
}

/** What a service is made of: its parts, joined, and how it listens. */
export interface ServiceParts extends Part {
  port: number
  host: string
  /** Proves to services that a call comes from the platform; also opens /sys/readiness and /metrics. */
  internalApiKey: string
  /** What routes share by contract: the rate limiter and the store of idempotent responses. */
  routeServices?: RouteServices
  /** Replaces the service listener: gets the app of the routes, answers everything. Only the gateway has one. */
  front?: (app: RequestListener) => RequestListener
  /** The report on `checks`, by a service that shows it elsewhere too: one round of probes serves both. */
  report?: () => Promise<ServiceReport>
  keepAliveTimeoutMs?: number
  /** Connections at once; 10,000 unless stated. */
  maxConnections?: number
  /** Connections of one address at once; no limit unless stated. */
  maxConnectionsPerAddress?: number
  readinessCacheTtlMs: number
  /** Runs once after the service listens, for example to print the first sign-in. */
  started?: () => Promise<void>
}

/** A function of its environment and its resources; it runs alone or with others without knowing which. */
export interface Service {
  name: ServiceName
  /** What it reads of the environment. */
  variables?: readonly z.ZodType[]
  /** The schemas it needs, its own and those of its packages, in the order they are made. */
  migrations?: readonly Migrations[]
  /**
   * Where it will listen, from the environment alone. With it the process answers /sys/livez, and 503 to the rest,
   * while `build` still waits for a store, and all problems of the configuration are reported before anything is
   * opened. Throws ConfigError.
   */
  address?(env: Env): { port: number; host: string }
  build(env: Env, resources: Resources, context: ServiceContext): Promise<ServiceParts>
  /** Of one that runs in processes of its own: starts them instead of building it here. */
  startElsewhere?(env: Env, context: ServiceContext): StartedElsewhere
}

/** A service in processes of its own. Disposing resolves when they have ended. */
export interface StartedElsewhere extends AsyncDisposable {
  url: string
  /** Resolves when they serve; rejects when they can't. */
  ready: Promise<void>
  /** Their metrics. */
  pages(): Promise<string[]>
}
