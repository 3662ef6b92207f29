import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { bearerOf, isInternalKey } from '@platform/auth'
import { headers as names, type ServiceReport, type Setting } from '@platform/contracts'
import {
  correlationIdOf,
  exposeReadings,
  type Reading,
  refuseAmbiguous,
  registry,
  sendFailure,
  sendJson,
  sendRaw,
} from '@platform/http'
import { Failure } from '@platform/kernel'
import type { Logger } from '@platform/logging'
import { metricsPage } from './metrics-page.ts'
import type { Service } from './service.ts'

/** Whether the service may be sent requests; turns false as soon as it starts to stop. */
export interface Health {
  ready: boolean
  /** Why it is not ready, as /sys/readyz shows it. */
  state: 'starting' | 'draining'
}

interface Options {
  health: Health
  internalApiKey: string
  report: () => Promise<ServiceReport>
  settings?: (() => Setting[]) | undefined
  log: Logger
}

type Handle = (request: IncomingMessage, response: ServerResponse) => Promise<void> | void

/**
 * Answers /sys/livez, /sys/readyz, /sys/readiness, /sys/config and /metrics in front of a service; the last three need
 * the internal key. Everything else is `next`'s.
 */
export function healthListener(options: Options, next: RequestListener): RequestListener {
  const answers = answersOf(options)
  return (request, response) => {
    const { method, headers } = request
    const handle = method === 'GET' || method === 'HEAD' ? answers.get(pathOf(request.url ?? '/')) : undefined
    if (handle === undefined) return next(request, response)
    const correlationId = correlationIdOf(headers[names.correlationId], headers.traceparent)
    response.setHeader(names.correlationId, correlationId)
    const answered = (async () => {
      refuseAmbiguous(request, response)
      await handle(request, response)
    })()
    answered.catch((error: unknown) => sendFailure(response, error, options.log, correlationId))
  }
}

function answersOf({ health, internalApiKey, report, settings }: Options): Map<string, Handle> {
  const key = Buffer.from(internalApiKey)
  return new Map<string, Handle>([
    ['/sys/livez', (_, response) => sendJson(response, 200, { status: 'ok' })],
    [
      '/sys/readyz',
      (_, response) =>
        health.ready
          ? sendJson(response, 200, { status: 'ready' })
          : sendJson(response, 503, { status: health.state }),
    ],
    ['/sys/readiness', guarded(key, async (response) => sendJson(response, 200, await report()))],
    ['/sys/config', guarded(key, async (response) => sendJson(response, 200, configOf(settings)))],
    [
      '/metrics',
      guarded(key, async (response) => sendRaw(response, 200, await metricsPage(), registry.contentType)),
    ],
  ])
}

/** The settings of a process, as an operator may see them. */
export const configOf = (settings: (() => Setting[]) | undefined) => ({ settings: settings?.() ?? [] })

const pathOf = (url: string): string => {
  const query = url.indexOf('?')
  return query < 0 ? url : url.slice(0, query)
}

const guarded =
  (key: Buffer, answer: (response: ServerResponse) => Promise<void>): Handle =>
  async (request, response) => {
    const { authorization, ...headers } = request.headers
    const bearer = authorization === undefined ? undefined : bearerOf(authorization)
    const given = headers[names.internalKey] ?? headers[names.apiKey] ?? bearer
    if (!isInternalKey(given, key))
      throw new Failure('AuthenticationError', `Send the internal key in ${names.internalKey}.`)
    await answer(response)
  }

const READY = {
  name: 'platform_service_ready',
  help: '1 while the service takes requests, 0 while it starts or drains.',
  type: 'gauge',
} as const

const MODULES = {
  name: 'platform_module_ready',
  help: '1 when the last look at a module of the readiness report found it ready, else 0.',
  type: 'gauge',
} as const

/** Shows whether a service and each of its modules is ready, until disposed. */
export function exposeReadiness(
  service: Service['name'],
  health: Health,
  report: () => Promise<ServiceReport>,
): Disposable {
  const stack = new DisposableStack()
  stack.use(exposeReadings(READY, () => [{ labels: { service }, value: health.ready ? 1 : 0 }]))
  let known: Reading[] = []
  const look = async () => {
    known = modulesOf(service, await report())
  }
  stack.use(
    exposeReadings(MODULES, () => {
      // A scrape is not held up by a module that hangs: it shows what the last round found, and has the next one made
      // when it is due.
      look().catch(() => undefined)
      return known
    }),
  )
  return stack
}

function modulesOf(service: string, { modulesReady, errors = [] }: ServiceReport): Reading[] {
  const ready = modulesReady.map(({ module, driver }) => ({ labels: { service, module, driver }, value: 1 }))
  const failed = errors.map(({ module, driver = '' }) => ({ labels: { service, module, driver }, value: 0 }))
  return [...ready, ...failed]
}
