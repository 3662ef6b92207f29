import { expect, test } from 'vitest'

test('what took less than allowed is prompt on every machine', () => {
  expect(999).toBePrompt(1000)
})

test('what took much longer is on none, and it is said how much slower the machine is', () => {
  expect(() => expect(1_000_000).toBePrompt(1000)).toThrow(
    /1000000 ms have passed; 1000 are allowed, on this machine now \d+\.\d times that/,
  )
})

test('only a time can be prompt', () => {
  expect(() => expect('soon').toBePrompt(1000)).toThrow('asked about a number of milliseconds')
})
