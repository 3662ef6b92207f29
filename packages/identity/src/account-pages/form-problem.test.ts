import { Failure, StoreError } from '@platform/kernel'
import { describe, expect, it } from 'vitest'
import { problemOf } from './form-problem.ts'

describe('the problem a form shows', () => {
  it.each([
    [new Failure('AlreadyUsed', 'taken'), { kind: 'fields', fields: { email: 'emailTaken' } }],
    [new Failure('TooManyRequests', 'wait', { retryAfterSeconds: 7 }), { kind: 'tooMany', seconds: 7 }],
    [new Failure('ServiceUnavailable', 'too many hashes wait'), { kind: 'busy' }],
    [new StoreError('down', { unavailable: true }), { kind: 'unavailable' }],
  ])('of %s', (error, problem) => {
    expect(problemOf(error)).toEqual(problem)
  })

  it.each([
    new Failure('ForbiddenError', 'no'),
    new StoreError('broken', { unavailable: false }),
    new Error('unforeseen'),
  ])('is not made of %s: that is a page of its own', (error) => {
    expect(() => problemOf(error)).toThrow(error)
  })
})
