import { once } from 'node:events'
import { createServer } from 'node:net'
import { systemClock } from '@platform/kernel'
import { createLogger } from '@platform/logging'
import { describe, expect, test } from 'vitest'
import { credentials, tinyService } from '../test/testing.ts'
import { runOnce } from './job.ts'
import { openMetricsServer } from './metrics-server.ts'
import { observeProcess } from './observe-process.ts'
import { Resources } from './resources.ts'
import { processEnv } from './run.ts'
import { startService } from './start-service.ts'

const log = createLogger({ level: 'silent' })
const context = { log, clock: systemClock, version: '1.2.3', development: true }

const started = async (parts: Parameters<typeof tinyService>[0] = {}) => {
  const { service } = tinyService(parts)
  const resources = new Resources(log, { development: true })
  const signal = new AbortController().signal
  return startService(service, {}, resources, context, { drainDelayMs: 0, signal })
}

const page = async (url: string, headers: Record<string, string> = {}) => {
  const answer = await fetch(`${url}/metrics`, { headers })
  return { status: answer.status, text: await answer.text() }
}

describe('/metrics of a service', () => {
  test('needs the internal key, in its own header or as a bearer, as Prometheus sends it', async () => {
    await using service = await started()
    const key = credentials['x-platform-internal-key']
    expect((await page(service.url, credentials)).status).toBe(200)
    expect((await page(service.url, { authorization: `Bearer ${key}` })).status).toBe(200)
    for (const headers of [{}, { authorization: 'Bearer wrong' }, { authorization: 'Basic x' }])
      expect((await page(service.url, headers as Record<string, string>)).status).toBe(401)
  })

  test('tells what is ready, module by module', async () => {
    const failing = {
      module: 'broker',
      driver: 'nats',
      probe: () => Promise.reject(new Error('down')),
    }
    const fine = { module: 'cache', driver: 'memory', probe: async () => undefined }
    await using service = await started({ name: 'runtime', parts: { checks: [fine, failing] } })
    // The first page begins a round, the next one shows what it found.
    await page(service.url, credentials)
    const { text } = await page(service.url, credentials)
    expect(text).toContain('platform_service_ready{service="runtime"} 1')
    expect(text).toContain('platform_module_ready{service="runtime",module="cache",driver="memory"} 1')
    expect(text).toContain('platform_module_ready{service="runtime",module="broker",driver="nats"} 0')
  })

  test('tells how background work went', async () => {
    const signal = new AbortController().signal
    const job = { name: 'counted-job', everyMs: 1000, run: async () => undefined }
    await runOnce(job, log, signal)
    await runOnce({ ...job, run: () => Promise.reject(new Error('no')) }, log, signal)
    await using service = await started()
    const { text } = await page(service.url, credentials)
    expect(text).toContain('platform_job_runs_total{task="counted-job",outcome="success"} 1')
    expect(text).toContain('platform_job_runs_total{task="counted-job",outcome="failure"} 1')
    expect(text).toMatch(/platform_job_last_success_timestamp_seconds\{task="counted-job"\} 1\d{9}/)
  })
})

describe('METRICS_PORT', () => {
  test('answers /metrics without a credential, and nothing else', async () => {
    await using server = await openMetricsServer({ port: 0, host: '127.0.0.1' }, log)
    const origin = `http://127.0.0.1:${server.port}`
    expect((await page(origin)).text).toContain('platform_http_requests_total')
    expect((await fetch(`${origin}/sys/readiness`)).status).toBe(404)
    expect((await fetch(`${origin}/metrics`, { method: 'POST' })).status).toBe(404)
  })

  test('that is taken stops the start with a sentence', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    const { port } = other.address() as { port: number }
    const config = processEnv.parse({ METRICS_PORT: String(port) })
    const observed = observeProcess({
      config,
      log,
      version: '1.2.3',
      env: { HOST: '127.0.0.1' },
      services: ['events'],
    })
    await expect(observed).rejects.toThrow(
      `Port ${port} on 127.0.0.1 is taken by another program: stop it, or set METRICS_PORT to a free port.`,
    )
    other.close()
  })

  test('shows what is known of the process itself', async () => {
    const config = processEnv.parse({ METRICS_PORT: '0' })
    await using _ = await observeProcess({
      config,
      log,
      version: '1.2.3',
      env: { HOST: '127.0.0.1' },
      services: ['events'],
    })
    await using server = await openMetricsServer({ port: 0, host: '127.0.0.1' }, log)
    const { text } = await page(`http://127.0.0.1:${server.port}`)
    expect(text).toContain(`platform_build_info{version="1.2.3",node="${process.version}"} 1`)
    for (const name of [
      'process_cpu_seconds_total',
      'process_resident_memory_bytes',
      'nodejs_eventloop_lag_p99_seconds',
      'platform_memory_limit_bytes',
      'platform_event_loop_active_seconds_total',
    ])
      expect(text).toMatch(new RegExp(`^${name}(\\{.*\\})? \\d`, 'm'))
  })
})
