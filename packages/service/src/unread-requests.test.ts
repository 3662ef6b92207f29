import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { systemClock } from '@platform/kernel'
import { createLogger } from '@platform/logging'
import { expect, test } from 'vitest'
import { tinyService } from '../test/testing.ts'
import { Resources, startService } from './index.ts'

const log = createLogger({ level: 'silent' })
const DRAIN_MS = 50
const BUSY_MS = 400
const CONNECTIONS = 8

/**
 * Clients with kept connections on a thread of their own: they go on while the service is busy. Every message is one
 * more request on each.
 */
const clients = (url: string) =>
  new Worker(
    `const { Agent, request } = require('node:http'); const { parentPort, workerData } = require('node:worker_threads')
     const agents = Array.from({ length: ${CONNECTIONS} }, () => new Agent({ keepAlive: true, maxSockets: 1 }))
     const ask = (agent) => new Promise((resolve) => {
       const read = (response) => response.resume().once('end', () => resolve(response.statusCode))
       const asked = request(workerData + '/sys/livez', { agent }, read)
       asked.once('error', (error) => resolve(error.message)).end()
     })
     parentPort.on('message', async (afterMs) => {
       await new Promise((resolve) => setTimeout(resolve, afterMs))
       parentPort.postMessage(await Promise.all(agents.map(ask)))
     })`,
    { eval: true, workerData: url },
  )

test('a service that was too busy to read requests of kept connections answers them before it stops', async () => {
  const { service } = tinyService()
  const context = { log, clock: systemClock, version: '1.2.3', development: true }
  const signal = new AbortController().signal
  const resources = new Resources(log, { development: true })
  const running = await startService(service, {}, resources, context, { drainDelayMs: DRAIN_MS, signal })
  const worker = clients(running.url)
  const answered = Array(CONNECTIONS).fill(200)
  worker.postMessage(0)
  expect((await once(worker, 'message'))[0]).toEqual(answered)

  const stopped = running[Symbol.asyncDispose]()
  worker.postMessage(DRAIN_MS * 2)
  // The delay ends meanwhile, and the requests are sent.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, BUSY_MS)

  expect((await once(worker, 'message'))[0]).toEqual(answered)
  await stopped
  await worker.terminate()
})
