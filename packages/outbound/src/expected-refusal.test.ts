import { expect, it } from 'vitest'
import { resolver } from '../test/testing.ts'
import { openOutbound } from './open-outbound.ts'

const PRIVATE = 'is not a public address: an operator can allow it with OUTBOUND_ALLOWED.'

it.for([
  ['http://127.0.0.1:9/', `127.0.0.1 ${PRIVATE}`],
  ['http://[::1]/', `::1 ${PRIVATE}`],
  ['http://10.9.9.9/', `10.9.9.9 ${PRIVATE}`],
  ['https://inside.example/', `inside.example ${PRIVATE}`],
  ['https://outside.example/', undefined],
  ['https://93.184.216.34/', undefined],
  ['http://192.168.7.7/', undefined],
] as const)('of %s it is known beforehand: %s', async ([address, refusal]) => {
  const { lookup } = resolver((_, host) => (host.startsWith('inside') ? ['10.0.0.8'] : ['93.184.216.34']))
  await using outbound = openOutbound({ allowed: ['192.168.0.0/16'] }, lookup)
  expect(await outbound.expectedRefusal(new URL(address))).toBe(refusal)
})

it('waits for no name that is slow to resolve, and resolves few at once', async () => {
  let asked = 0
  await using outbound = openOutbound({ allowed: [] }, () => {
    asked += 1
  })
  const begun = performance.now()
  const names = Array.from({ length: 10 }, (_, n) => new URL(`https://slow-${n}.example/`))
  const found = await Promise.all(names.map((url) => outbound.expectedRefusal(url)))
  expect(found).toEqual(names.map(() => undefined))
  expect(asked).toBe(2)
  expect(performance.now() - begun).toBePrompt(3000)
})
