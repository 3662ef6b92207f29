import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { expect, test, vi } from 'vitest'
import { Instance } from './instance.ts'
import { probeInstance } from './watch-instances.ts'

/**
 * A listener on a thread of its own that, told to leave, is too busy to take connections for a while and then stops
 * to listen.
 */
const leavingListener = () =>
  new Worker(
    `const { parentPort } = require('node:worker_threads')
     const server = require('node:net').createServer()
     server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port))
     parentPort.on('message', () => {
       parentPort.postMessage('busy')
       Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200)
       server.close()
     })`,
    { eval: true },
  )

test('an instance that stops to listen while its probe waits is left alone with what it has to finish', async () => {
  const worker = leavingListener()
  const [port] = (await once(worker, 'message')) as [number]
  const instance = new Instance(`http://127.0.0.1:${port}`, undefined)
  const disconnect = vi.fn()
  instance.waiting.add({ waitingSince: Date.now(), timeoutMs: 60_000, expire: () => undefined, disconnect })
  worker.postMessage('leave')
  await once(worker, 'message')

  const probed = probeInstance(instance)
  await new Promise((resolve) => process.nextTick(resolve))
  // That the connection was made and that it was cut are seen at once.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 400)
  await probed

  expect([instance.isGood, disconnect.mock.calls]).toEqual([false, []])
  await instance.pool.destroy()
  await worker.terminate()
})

test('an instance whose probe throws is probed again', async () => {
  const instance = new Instance('http://127.0.0.1:1', undefined)
  const address = Object.getOwnPropertyDescriptor(instance, 'origin')
  Object.defineProperty(instance, 'origin', { ...address, value: 'nothing to connect to' })
  await expect(probeInstance(instance)).rejects.toThrow('Invalid URL')
  expect(instance.isProbing).toBe(false)
  await instance.pool.destroy()
})
