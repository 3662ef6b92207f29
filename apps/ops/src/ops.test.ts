import { expect, test } from 'vitest'
import { runOps } from '../test/testing.ts'

test('without a command it shows what there is and ends with 1', async () => {
  const { code, out, err } = await runOps([])
  expect(code).toBe(1)
  expect(`${out}${err}`).toMatch(/readiness[\s\S]*admin[\s\S]*config/)
})

test('help ends with 0', async () => {
  const { code, out } = await runOps(['--help'])
  expect(code).toBe(0)
  expect(out).toContain('What an operator of the platform types.')
})

test.each([
  [['nothing'], "Unknown command 'nothing'"],
  [['admin', 'reset-password'], "Missing required argument 'email'."],
  [['readiness', '--loud'], "Unknown option '--loud'."],
])('%j is told as a sentence and ends with 1', async (args, sentence) => {
  const { code, err } = await runOps(args)
  expect(code).toBe(1)
  expect(err).toContain(sentence)
})
