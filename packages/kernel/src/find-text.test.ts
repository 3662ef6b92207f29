import { expect, test } from 'vitest'
import { textFinder } from './find-text.ts'

test.each([
  ['needle', 'a needle in hay, a needle', 3],
  ['a longer needle', 'here is a longer needle', 0],
  ['a longer needle', 'here is a longer needl', 0],
  ['abcabcabcabd', 'abcabcabcabcabcabd', 0],
  ['abcabcabcabd', 'abcabcabcabdabcabcabcabd', 1],
  ['ünïcödé ✓ 🙂 text', 'x ünïcödé ✓ 🙂 text', 0],
  ['', 'abc', 2],
])('%j in %j from %i is where indexOf finds it', (wanted, text, from) => {
  expect(textFinder(wanted)(text, from)).toBe(text.indexOf(wanted, from))
})

test('finds every place as indexOf does, in texts that nearly repeat', () => {
  const words = ['aaaaaaaab', 'abababababa', 'aabaabaaaba', 'aaaaaaaaaaaaaaaa']
  const text = 'aabaabaaabaabababababaaaaaaaaabaaaaaaaaaaaaaaaaab'
  for (const wanted of words)
    for (let from = 0; from <= text.length; from += 1)
      expect(textFinder(wanted)(text, from)).toBe(text.indexOf(wanted, from))
})

test('its time grows with the lengths added, not multiplied', () => {
  const half = 'a'.repeat(50_000)
  const before = process.threadCpuUsage()
  expect(textFinder(`${half}b${half}`)('a'.repeat(1_000_000), 0)).toBe(-1)
  // Multiplied, these would be 10^11 comparisons: minutes.
  expect(process.threadCpuUsage(before).user / 1000).toBeLessThan(5000)
})
