import { describe, expect, test, vi } from 'vitest'
import { createLogger, requestLines } from './index.ts'

const line = {
  method: 'GET',
  route: '/v2/me',
  status: 200,
  ms: 3,
  bytes: 1042,
  correlationId: 'abcdef0123456789',
  traceId: '0af7651916cd43dd8448eb211c80319c',
  principal: 'jwt',
  apiVersion: 'v2',
  upstream: 'http://127.0.0.1:3002',
}

describe('the line of an answered request', () => {
  test('is what the logger itself would write', async () => {
    const written: string[] = []
    const log = createLogger({ level: 'info', destination: { write: (text) => written.push(text) } }).child({
      service: 'x',
    })
    log.info(line, 'request answered')
    requestLines(log)?.(line)
    await vi.waitFor(() => expect(written).toHaveLength(2))
    const [usual, quick] = written.map((text) => JSON.parse(text) as Record<string, unknown>)
    expect({ ...quick, time: '' }).toEqual({ ...usual, time: '' })
    expect(Math.abs(Date.parse(String(quick?.time)) - Date.parse(String(usual?.time)))).toBeLessThan(1000)
  })

  test('of many requests leaves in one write', async () => {
    const written: string[] = []
    const write = requestLines(
      createLogger({ level: 'info', destination: { write: (text) => written.push(text) } }),
    )
    for (let count = 0; count < 5; count += 1) write?.(line)
    await vi.waitFor(() => expect(written).toHaveLength(1))
    expect(written[0]?.trim().split('\n')).toHaveLength(5)
  })

  test('names neither trace, version nor instance where there is none', async () => {
    const written: string[] = []
    const log = createLogger({ level: 'debug', destination: { write: (text) => written.push(text) } })
    requestLines(log, 'debug')?.({ ...line, traceId: undefined, apiVersion: '', upstream: undefined })
    await vi.waitFor(() => expect(written).toHaveLength(1))
    const { traceId: _, apiVersion: __, upstream: ___, ...rest } = line
    expect(JSON.parse(written[0] ?? '')).toEqual({
      ...rest,
      level: 'debug',
      time: expect.any(String),
      msg: 'request answered',
    })
  })

  test('is left out where the level says so', () => {
    expect(requestLines(createLogger({ level: 'warn' }))).toBeUndefined()
  })
})
