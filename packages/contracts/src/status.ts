import { z } from 'zod'
import { endpoint } from './endpoint.ts'

export const getStatus = endpoint({
  id: 'getStatus',
  summary: 'Says that the gateway is up; touches no dependency.',
  service: 'api-gateway',
  credential: 'none',
  shedExempt: true,
  method: 'get',
  path: '/',
  response: z.object({ status: z.literal('ok'), name: z.string(), version: z.string() }),
  failures: [],
  example: { response: { status: 'ok', name: 'api-gateway', version: '1.4.0' } },
})
