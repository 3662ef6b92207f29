/** The stores a service may use. */
export type StoreKind = 'postgres' | 'cache' | 'broker' | 'search' | 'files'

/** A service lives in `apps/<name>`: its process is `src/main.ts` there, what it is made of `src/service.ts`. */
export interface ServiceLine {
  /** Port it listens on, in a container of its own or beside the others where nobody else does. */
  port: number
  /** Its port where several services share one process. */
  portVariable: string
  /** Its addresses, for the others. */
  urlVariable: string
  needs: readonly StoreKind[]
  /** What it does is done elsewhere, unless its variable says where it is; it is no part of a usual platform. */
  optional?: true
}

/**
 * Every service of the platform, in the order of the readiness report. Routing, readiness, bundles, all in one and
 * the test platforms read this table; `npm run generate` writes the compose file, the scrape configuration and the
 * documents from it.
 */
export const services = {
  'api-gateway': {
    port: 3001,
    portVariable: 'PORT',
    urlVariable: 'INTERNAL_API_URL',
    needs: ['postgres', 'cache', 'broker', 'files'],
  },
  runtime: {
    port: 3003,
    portVariable: 'RUNTIME_PORT',
    urlVariable: 'RUNTIME_API_URL',
    needs: ['postgres', 'cache', 'broker'],
  },
  events: {
    port: 3004,
    portVariable: 'EVENTS_PORT',
    urlVariable: 'EVENTS_API_URL',
    needs: ['postgres', 'cache', 'broker', 'search'],
  },
  workspaces: {
    port: 3002,
    portVariable: 'WORKSPACES_PORT',
    urlVariable: 'WORKSPACES_API_URL',
    needs: ['postgres', 'cache', 'broker'],
  },
  functions: {
    port: 4000,
    portVariable: 'FUNCTIONS_PORT',
    urlVariable: 'FUNCTIONS_URL',
    needs: [],
    optional: true,
  },
} as const satisfies Record<string, ServiceLine>

/** The services that answer requests. */
export type ServiceName = keyof typeof services
/** Those that may be left out. */
export type OptionalService = 'functions'
/** Those that every platform has. */
export type UsualService = Exclude<ServiceName, OptionalService>
/** The services a request may be forwarded to. */
export type ServiceBehindGateway = Exclude<UsualService, 'api-gateway'>

export const serviceNames = Object.keys(services) as ServiceName[]
const isUsual = (name: ServiceName): name is UsualService => !('optional' in services[name])
export const usualServices = serviceNames.filter(isUsual)
export const servicesBehindGateway = usualServices.filter((name) => name !== 'api-gateway')

/** Where the instances of a service are unless its variable says it: on this machine. */
export const defaultServiceUrl = (name: UsualService): string => `http://127.0.0.1:${services[name].port}`

/** Programs that are no part of this repository; they are in the readiness report where their address is set. */
export const externalServices = {
  searchengine: { urlVariable: 'SEARCHENGINE_API_URL', title: 'the search engine' },
  crawler: { urlVariable: 'CRAWLER_API_URL', title: 'the crawler' },
} as const
export type ExternalService = keyof typeof externalServices
export const externalServiceNames = Object.keys(externalServices) as ExternalService[]
