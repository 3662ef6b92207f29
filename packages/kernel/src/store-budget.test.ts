import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import {
  STORE_BUDGET_MS,
  StoreBudget,
  storeBudget,
  withLeastBudget,
  withStoreBudget,
} from './store-budget.ts'

beforeEach(() => vi.useFakeTimers({ toFake: ['performance'] }))
afterEach(() => vi.useRealTimers())

function wait(budget: StoreBudget, ms: number): void {
  budget.beginWait()
  vi.advanceTimersByTime(ms)
  budget.endWait()
}

test('long waits are taken from the budget one after the other, quick ones cost nothing', () => {
  const budget = new StoreBudget()
  for (let count = 0; count < 30; count += 1) wait(budget, 50)
  expect(budget.leftMs).toBe(STORE_BUDGET_MS)
  wait(budget, 1000)
  wait(budget, 900)
  expect(budget.leftMs).toBe(STORE_BUDGET_MS - 1900)
  wait(budget, 900)
  expect(budget.leftMs).toBe(0)
})

test('waits at the same time count once, and one that is under way counts already', () => {
  const budget = new StoreBudget()
  budget.beginWait()
  budget.beginWait()
  vi.advanceTimersByTime(600)
  expect(budget.leftMs).toBe(STORE_BUDGET_MS - 600)
  budget.endWait()
  vi.advanceTimersByTime(400)
  budget.endWait()
  expect(budget.leftMs).toBe(STORE_BUDGET_MS - 1000)
})

test('work that goes on for long has a budget without an end', () => {
  const budget = new StoreBudget()
  wait(budget, STORE_BUDGET_MS)
  expect(budget.leftMs).toBe(0)
  vi.advanceTimersByTime(8000)
  expect(budget.leftMs).toBe(Number.POSITIVE_INFINITY)
})

test('the budget is that of the work under way, and what must still be done gets the least it needs', async () => {
  expect(storeBudget()).toBeUndefined()
  expect(withLeastBudget(300, () => storeBudget())).toBeUndefined()
  const budget = new StoreBudget(200)
  await withStoreBudget(budget, async () => {
    await Promise.resolve()
    expect(storeBudget()).toBe(budget)
    expect(withLeastBudget(100, () => storeBudget())).toBe(budget)
    expect(withLeastBudget(300, () => storeBudget()?.leftMs)).toBe(300)
  })
})
