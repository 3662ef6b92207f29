import { z } from 'zod'
import { endpoint } from './endpoint.ts'

export const ReadyModule = z.object({ module: z.string(), driver: z.string() })
export type ReadyModule = z.infer<typeof ReadyModule>

export const ModuleError = z.object({
  error: z.string().describe('Stable name, for example DatabaseError.'),
  module: z.string(),
  driver: z.string(),
  message: z.string(),
})
export type ModuleError = z.infer<typeof ModuleError>

export const ModuleWarning = z.object({
  module: z.string(),
  driver: z.string(),
  message: z.string().describe('What an operator should look at; the module does its work.'),
})
export type ModuleWarning = z.infer<typeof ModuleWarning>

const Status = z.enum(['ready', 'error'])

/** The report of one service about itself. */
export const ServiceReport = z.object({
  status: Status,
  modulesReady: z.array(ReadyModule),
  errors: z.array(ModuleError).optional(),
  warnings: z.array(ModuleWarning).optional(),
})
export type ServiceReport = z.infer<typeof ServiceReport>

/** A service's entry in the platform's report. */
export const ServiceEntry = z.object({
  status: Status,
  modulesReady: z.array(ReadyModule).optional(),
  url: z.string().optional(),
  response: ServiceReport.optional(),
  errors: z.array(ModuleError).optional(),
  warnings: z.array(ModuleWarning).optional(),
})
export type ServiceEntry = z.infer<typeof ServiceEntry>

/** Whether services and what they depend on can be reached. */
export const ReadinessReport = z.object({ status: Status, services: z.record(z.string(), ServiceEntry) })
export type ReadinessReport = z.infer<typeof ReadinessReport>

export const getReadiness = endpoint({
  id: 'getReadiness',
  summary:
    'Verifies that services and their dependencies are configured and reachable; 400 with the same report when ' +
    'one is not.',
  service: 'api-gateway',
  credential: 'required',
  caller: 'superAdmin',
  shedExempt: true,
  method: 'get',
  path: '/v2/readiness',
  query: z.strictObject({
    services: z.string().max(200).optional().describe('Comma-separated names; all services without it.'),
  }),
  response: ReadinessReport,
  failures: ['RequestValidationError', 'AuthenticationError', 'ForbiddenError', 'ServiceUnavailable'],
  otherAnswers: [
    { status: 400, summary: 'Something is not ready: the same report.', response: ReadinessReport },
  ],
  example: {
    response: {
      status: 'ready',
      services: { runtime: { status: 'ready', modulesReady: [{ module: 'cache', driver: 'redis' }] } },
    },
  },
})

export const getServiceReadiness = endpoint({
  id: 'getServiceReadiness',
  summary: "A service's own report, for the gateway and operators.",
  service: 'api-gateway',
  credential: 'internal',
  method: 'get',
  path: '/sys/readiness',
  response: ServiceReport,
  failures: ['AuthenticationError'],
})

/** One variable that a process reads. */
export const Setting = z.object({
  name: z.string().describe('The variable.'),
  origin: z
    .string()
    .describe('What gave it: environment, secrets file, all in one; else default, required or unset.'),
  value: z.string().describe('A secret is only its length.'),
})
export type Setting = z.infer<typeof Setting>

export const getProcessSettings = endpoint({
  id: 'getProcessSettings',
  summary:
    'Every variable the process that answers runs with, and where its value comes from; for operators.',
  service: 'api-gateway',
  credential: 'internal',
  method: 'get',
  path: '/sys/config',
  response: z.object({ settings: z.array(Setting) }),
  failures: ['AuthenticationError'],
})

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
