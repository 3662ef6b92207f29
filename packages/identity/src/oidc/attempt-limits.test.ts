import { type Cache, openMemoryCache } from '@platform/cache'
import { randomBase62 } from '@platform/kernel'
import { createLogger } from '@platform/logging'
import { rateLimiter } from '@platform/rate-limits'
import { describe, expect, it } from 'vitest'
import { attemptLimits } from './attempt-limits.ts'

const refused = () => Promise.reject(new Error('down'))
const down = { increment: refused, delete: refused, get: refused } as unknown as Cache
const someone = () => `${randomBase62(8)}@example.com`

describe.each([
  ['with the cache', openMemoryCache],
  ['while the cache is down', () => down],
])('attempt limits %s', (_, open) => {
  const newLimits = () =>
    attemptLimits({
      rateLimiter: rateLimiter({
        cache: open(),
        log: createLogger({ level: 'silent' }),
        service: 'test',
        settings: { disabled: false, points: new Map() },
      }),
    })

  it('let five through for one address, whatever the client', async () => {
    const limits = newLimits()
    const email = someone()
    const answers = []
    for (let count = 0; count < 6; count += 1)
      answers.push(await limits.count({ email, ip: `10.0.0.${count}` }))
    const tooMany = { limit: { name: 'login' }, resetSeconds: 60 }
    expect(answers.slice(0, 5)).toEqual(Array(5).fill(undefined))
    expect(answers[5]).toMatchObject(tooMany)
    expect(await limits.count({ email: someone(), ip: '10.0.0.1' })).toBeUndefined()
  })

  it('count all attempts that come at once', async () => {
    const limits = newLimits()
    const email = someone()
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => limits.count({ email, ip: '10.0.0.9' })),
    )
    expect(answers.filter((answer) => answer === undefined).length).toBe(5)
  })

  it('stop a client that tries one password at many addresses', async () => {
    const limits = newLimits()
    const answers = await Promise.all(
      Array.from({ length: 61 }, () => limits.count({ email: someone(), ip: '10.0.0.7' })),
    )
    expect(answers.filter((answer) => answer?.limit.name === 'login-address').length).toBe(1)
  })

  it('stop one that takes another address of its IPv6 network each time', async () => {
    const limits = newLimits()
    const addresses = Array.from({ length: 61 }, (_, index) => `2001:db8:7:7::${index.toString(16)}`)
    const answers = await Promise.all(addresses.map((ip) => limits.count({ email: someone(), ip })))
    expect(answers.filter((answer) => answer?.limit.name === 'login-address').length).toBe(1)
    expect(await limits.count({ email: someone(), ip: '2001:db8:7:8::1' })).toBeUndefined()
  })

  it('count a browser that is known apart from everybody else, and others not with it', async () => {
    const limits = newLimits()
    const email = someone()
    for (let count = 0; count < 6; count += 1) await limits.count({ email, ip: '10.0.0.3' })
    const attempt = { email, ip: '10.0.0.4', deviceId: 'known' }
    const answers = []
    for (let count = 0; count < 6; count += 1) answers.push(await limits.count(attempt))
    expect(answers.slice(0, 5)).toEqual(Array(5).fill(undefined))
    expect(answers[5]).toMatchObject({ limit: { name: 'login-device' } })
    await limits.forget(attempt)
    expect(await limits.count(attempt)).toBeUndefined()
    expect(await limits.count({ email, ip: '10.0.0.3' })).toMatchObject({ limit: { name: 'login' } })
  })

  it('are forgotten when the owner of the address signs in', async () => {
    const limits = newLimits()
    const email = someone()
    for (let count = 0; count < 5; count += 1) await limits.count({ email, ip: '10.0.0.5' })
    await limits.forget({ email, ip: '10.0.0.5' })
    expect(await limits.count({ email, ip: '10.0.0.5' })).toBeUndefined()
  })
})
