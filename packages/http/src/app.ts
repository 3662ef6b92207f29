import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { headers as names, notYetAvailableAt } from '@platform/contracts'
import { Failure } from '@platform/kernel'
import express, { type Request, type Response } from 'express'
import { requestState } from './request-state.ts'
import { sendFailure, setSafetyHeaders } from './respond.ts'
import type { Route } from './route.ts'
import type { RouteServices } from './route-services.ts'
import { runRoute } from './run-route.ts'

/** Anything else mounted under a path prefix, for example the OIDC server. It sees the path without the prefix. */
export interface Mount {
  path: string
  listener: (request: IncomingMessage, response: ServerResponse) => void
}

/**
 * Routes → one request listener. A path it does not know is 404, a known path with another method 405; HEAD is
 * answered where GET is. Every error leaves through one door.
 */
export function createApp(
  routes: readonly Route[],
  mounts: readonly Mount[] = [],
  services: RouteServices = {},
): RequestListener {
  const app = express()
  app.disable('x-powered-by')
  app.disable('etag')
  app.set('query parser', false)
  app.set('case sensitive routing', true)
  app.set('strict routing', false)

  for (const one of routes) {
    if (one.contract.permission !== undefined && services.permissions === undefined)
      throw new Error(`${one.contract.id} asks a permission, and nothing answers it in this service.`)
    const listener = (request: Request, response: Response) => {
      requestState(request).route = one.contract.path
      const params = request.params as Record<string, string | string[]>
      runRoute(one, services, request, response, params).catch((error: unknown) =>
        fail(request, response, error),
      )
    }
    app[one.contract.method](one.contract.path, listener)
  }
  for (const mount of mounts) app.use(mount.path, mounted(mount))
  for (const [path, methods, instead] of methodsByPath(routes)) {
    app.all(path, (request: Request, response: Response) => {
      requestState(request).route = path
      response.setHeader('allow', methods)
      fail(
        request,
        response,
        new Failure('MethodNotAllowed', `${request.method} is not allowed here: use ${methods}.${instead}`),
      )
    })
  }

  app.use((request: Request, response: Response) => {
    response.setHeader(names.correlationId, requestState(request).correlationId)
    if (services.showMissing?.(request, response, request.path) !== true)
      fail(request, response, notFound(request.method, request.path))
  })
  app.use((error: unknown, request: Request, response: Response, _next: unknown) =>
    fail(request, response, malformedPath(error) ?? error),
  )
  return app
}

const mounted = (mount: Mount) => (request: Request, response: Response) => {
  requestState(request).route = mount.path
  setSafetyHeaders(response)
  response.setHeader(names.correlationId, requestState(request).correlationId)
  mount.listener(request, response)
}

/** GET also means HEAD. With what a contract says to those who come with another method. */
function methodsByPath(routes: readonly Route[]): [path: string, methods: string, instead: string][] {
  const byPath = Map.groupBy(routes, ({ contract }) => contract.path)
  return [...byPath].map(([path, group]) => {
    const methods = group.map(({ contract }) => contract.method.toUpperCase())
    const said = group.flatMap(({ contract }) => contract.otherMethods ?? [])
    const allowed = methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
    return [path, allowed.join(', '), said.map((sentence) => ` ${sentence}`).join('')]
  })
}

function notFound(method: string, path: string): Failure {
  const shown = `${method} ${path.slice(0, 200)}`
  const coming = notYetAvailableAt(path)
  return new Failure(
    'ObjectNotFoundError',
    coming === undefined
      ? `There is nothing at ${shown}.`
      : `There is nothing at ${shown}: this is not available yet. It belongs to: ${coming}.`,
  )
}

/** Express' own decoding of path parameters throws a URIError. */
const malformedPath = (error: unknown): Failure | undefined =>
  error instanceof URIError
    ? new Failure('RequestValidationError', 'The path is not properly percent-encoded.')
    : undefined

function fail(request: IncomingMessage, response: ServerResponse, error: unknown): void {
  const { log, correlationId } = requestState(request)
  sendFailure(response, error, log, correlationId)
}
