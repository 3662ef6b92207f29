import type { Json } from './declared.ts'
import { failureResponses } from './failure-responses.ts'
import { json } from './written-answers.ts'

const status = (value: string): Json => ({
  type: 'object',
  properties: { status: { type: 'string', const: value } },
  required: ['status'],
})

/** What an orchestrator asks; answered in front of everything else, by every service. */
export const probePaths: Record<string, Json> = {
  '/sys/livez': {
    get: {
      operationId: 'getLiveness',
      summary: 'Says that the process runs; touches no dependency',
      tags: ['Platform'],
      security: [],
      responses: {
        200: json('It runs.', status('ok'), { status: 'ok' }),
        ...failureResponses(['RequestValidationError', 'HeadersTooLarge']),
      },
    },
  },
  '/sys/readyz': {
    get: {
      operationId: 'getReadyz',
      summary: 'Says whether requests should be sent here',
      description: '503 while it starts, while it stops, and while it can not serve.',
      tags: ['Platform'],
      security: [],
      responses: {
        200: json('Send requests.', status('ready'), { status: 'ready' }),
        ...failureResponses(['RequestValidationError', 'HeadersTooLarge', 'ServiceUnavailable']),
      },
    },
  },
}
