import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Platform } from '@platform/testing/platform'
import type { TestProject } from 'vitest/node'
import type { SharedPlatform } from './shapes.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Where a test asks for the platform of a shape that all files share: `GET /<number of the shape>`. */
    sharedPlatforms: string
  }
}

/**
 * One platform of each shape for all test files that want nothing special of it, started when the first of them asks
 * and stopped after the last: starting one costs more than most of these files do with it.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const started = new Map<string, Promise<Platform>>()
  const platformAt = async (path: string): Promise<Platform> => {
    // Only here: where servers are required it throws without them, and not every file needs them.
    const { shapes, startShared } = await import('./shapes.ts')
    const shape = shapes[Number(path.slice(1))]
    if (shape === undefined) throw new Error('There is no such shape.')
    const found = started.get(path) ?? startShared(shape)
    started.set(path, found)
    return await found
  }
  const server = createServer((request, response) => {
    Promise.resolve(request.url ?? '')
      .then(platformAt)
      .then(({ origins, env }): SharedPlatform => ({ origins, env }))
      .then(
        (shared) => response.end(JSON.stringify(shared)),
        (error: unknown) => response.writeHead(500).end(String(error)),
      )
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  project.provide('sharedPlatforms', `http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  return async () => {
    server.closeAllConnections()
    server.close()
    const running = await Promise.allSettled(started.values())
    await Promise.all(
      running.map((one) => (one.status === 'fulfilled' ? one.value[Symbol.asyncDispose]() : undefined)),
    )
  }
}
