import * as contracts from '@platform/contracts'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { endpointsOf } from '../../../test/operations.ts'
import { v3Transforms } from './majors.ts'

const operations = endpointsOf(contracts)
  .filter(({ path }) => path.startsWith('/v2/'))
  .map((contract) => {
    const schema = z.toJSONSchema(contract.response, { io: 'output', unrepresentable: 'any' })
    const transform = v3Transforms.find((one) => one.contract === contract)
    return { contract, schema, transform, name: `${contract.method} ${contract.path}` }
  })

describe('v3', () => {
  test('has a cursor for every list of v2', () => {
    const lists = operations.filter(({ schema }) => schema.type === 'array')
    expect(lists.length).toBeGreaterThan(8)
    for (const { transform, name } of lists) expect(transform?.down, name).toBeDefined()
  })

  test('takes a cursor wherever v2 counts pages', () => {
    const paged = operations.filter(
      ({ contract }) => contract.query instanceof z.ZodObject && 'page' in contract.query.shape,
    )
    expect(paged.length).toBeGreaterThan(5)
    for (const { transform, name } of paged) expect(transform?.query, name).toBeDefined()
  })

  test('has a transform for every answer that holds _id', () => {
    const records = operations.filter(({ schema }) => JSON.stringify(schema).includes('"_id"'))
    expect(records.length).toBeGreaterThan(4)
    for (const { transform, name } of records) expect(transform?.down, name).toBeDefined()
  })
})
