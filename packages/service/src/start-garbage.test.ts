import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { collectStart } from './start-garbage.ts'

test('what a start has left is collected, and nobody can collect from then on', async () => {
  // A reference is kept alive until the end of the turn in which it was made.
  const left = new WeakRef({ schemas: new Array(1000).fill('dead') })
  await nextTurn()
  collectStart()
  await nextTurn()
  expect(left.deref()).toBeUndefined()
  expect('gc' in globalThis).toBe(false)
})
