import { describe, expect, test } from 'vitest'
import { apiSurface } from './api-surface.ts'
import { breakingChanges } from './breaking-changes.ts'

type Json = Record<string, unknown>

const documentWith = (
  parts: { fields?: Json; required?: string[]; answer?: Json; status?: string; query?: boolean } = {},
) => ({
  paths: {
    '/things': {
      post: {
        parameters: [
          { name: 'page', in: 'query', required: parts.query ?? false, schema: { type: 'integer' } },
        ],
        requestBody: {
          content: {
            'application/json': {
              schema: {
                type: 'object',
                properties: parts.fields ?? { name: { type: 'string' }, note: { type: 'string' } },
                required: parts.required ?? ['name'],
              },
            },
          },
        },
        responses: {
          [parts.status ?? '200']: {
            content: { 'application/json': { schema: { $ref: '#/components/schemas/Thing' } } },
          },
        },
      },
    },
  },
  components: {
    schemas: {
      Thing: parts.answer ?? {
        type: 'object',
        properties: { id: { type: 'string' }, parent: { $ref: '#/components/schemas/Thing' } },
        required: ['id'],
      },
    },
  },
})

const released = apiSurface(documentWith())
const changes = (parts: Parameters<typeof documentWith>[0]) =>
  breakingChanges(released, apiSurface(documentWith(parts)))

describe('the surface of the API', () => {
  test('names what callers rely on, and follows what refers to itself once', () => {
    expect(released).toEqual([
      'POST /things',
      'POST /things answers 200',
      'POST /things answers 200 .id string required',
      'POST /things answers 200 .parent object',
      'POST /things asks .name string required',
      'POST /things asks .note string',
      'POST /things takes query page integer',
    ])
  })
})

describe('what breaks callers', () => {
  test('an operation or a field that is gone', () => {
    expect(breakingChanges(released, [])).toHaveLength(released.length)
    expect(changes({ fields: { name: { type: 'string' } } })).toEqual([
      'Gone: POST /things asks .note string',
    ])
    expect(
      changes({ answer: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] } }),
    ).toEqual(['Gone: POST /things answers 200 .parent object'])
  })

  test('another type or another status', () => {
    expect(changes({ fields: { name: { type: 'integer' }, note: { type: 'string' } } })).toContain(
      'Gone: POST /things asks .name string required',
    )
    expect(changes({ status: '201' })).toContain('Gone: POST /things answers 200')
  })

  test('something that must be sent from now on', () => {
    const more = { name: { type: 'string' }, note: { type: 'string' }, size: { type: 'integer' } }
    expect(changes({ fields: more, required: ['name', 'size'] })).toEqual([
      'Newly required: POST /things asks .size integer required',
    ])
    expect(changes({ query: true })).toContain(
      'Newly required: POST /things takes query page integer required',
    )
  })

  test('an answer that no longer always holds a field', () => {
    const answer = {
      type: 'object',
      properties: { id: { type: 'string' }, parent: { $ref: '#/components/schemas/Thing' } },
    }
    expect(changes({ answer })).toEqual(['Gone: POST /things answers 200 .id string required'])
  })
})

describe('what breaks nobody', () => {
  test('more to send, more that is answered, less that is required, new operations', () => {
    const more = { name: { type: 'string' }, note: { type: 'string' }, size: { type: 'integer' } }
    expect(changes({ fields: more })).toEqual([])
    expect(changes({ required: [] })).toEqual([])
    const inner = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] }
    expect(changes({ fields: { ...more, inner } })).toEqual([])
    expect(
      breakingChanges(released, [...released, 'GET /more', 'GET /more takes query q string required']),
    ).toEqual([])
  })
})
