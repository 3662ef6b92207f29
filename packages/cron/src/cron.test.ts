import { describe, expect, test } from 'vitest'
import { leastGapMinutes, readCron } from './cron.ts'

describe('a cron', () => {
  test.each([
    '',
    '* * * *',
    '* * * * * *',
    '60 * * * *',
    '* 24 * * *',
    '* * 0 * *',
    '* * * 13 *',
    '* * * * 8',
  ])('"%s" is none', (text) => expect(readCron(text)).toBeUndefined())

  test.each([
    '@daily',
    '0 0 L * *',
    '0 0 ? * *',
    '0 0 * * mon#2',
    '0 0 1W * *',
    '*/0 * * * *',
    `${'0,'.repeat(60)}0 * * * *`,
  ])('"%s", which some programs know, is none', (text) => expect(readCron(text)).toBeUndefined())
})

describe('the least gap', () => {
  test.each([
    ['* * * * *', 1],
    ['*/15 * * * *', 15],
    ['0,50 * * * *', 10],
    ['0,50 9 * * *', 50],
    ['0,50 0,23 * * mon-fri', 10],
    ['5 0,23 * * mon', 1380],
    ['0 9 * * *', 1440],
    ['0 9 * * mon', 7 * 1440],
    ['0 9 1 * *', 28 * 1440],
    ['0 9 29 2 *', 1461 * 1440],
    ['0 9 30 2 *', undefined],
  ])('of %s is %s minutes', (text, gap) => {
    const cron = readCron(text)
    expect(cron && leastGapMinutes(cron)).toBe(gap)
  })
})
