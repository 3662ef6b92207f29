import { describe, expect, it } from 'vitest'
import { Breaker } from './breaker.ts'

const open = () => new Breaker({ firstPauseMs: 100, longestPauseMs: 300 })

describe('the breaker', () => {
  it('lets everything through while calls answer', () => {
    const breaker = open()
    breaker.succeeded()
    expect([breaker.allows(0), breaker.allows(0)]).toEqual([true, true])
  })

  it('lets one caller ask after a pause, and the others only when that one has succeeded', () => {
    const breaker = open()
    breaker.failed(0)
    expect(breaker.allows(99)).toBe(false)
    expect([breaker.allows(100), breaker.allows(100)]).toEqual([true, false])
    breaker.succeeded()
    expect([breaker.allows(101), breaker.allows(101)]).toEqual([true, true])
  })

  it('waits longer after each question without an answer, up to a limit', () => {
    const breaker = open()
    breaker.failed(0)
    for (const [askAt, pauseMs] of [
      [100, 200],
      [400, 300],
      [1000, 300],
    ] as const) {
      expect(breaker.allows(askAt)).toBe(true)
      breaker.failed(askAt)
      expect([breaker.allows(askAt + pauseMs - 1), breaker.allows(askAt + pauseMs)]).toEqual([false, true])
      breaker.failed(askAt)
    }
  })

  it('takes calls that fail together for one failure', () => {
    const breaker = open()
    for (let call = 0; call < 20; call++) breaker.failed(call)
    expect(breaker.allows(100)).toBe(true)
  })
})
