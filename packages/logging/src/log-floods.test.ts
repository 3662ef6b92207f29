import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { describe, expect, test, vi } from 'vitest'
import { createLogger } from './index.ts'

const collect = () => {
  const lines: string[] = []
  const log = createLogger({ level: 'info', destination: { write: (line) => lines.push(line) } })
  return { lines, log }
}

describe('a flood of errors', () => {
  test('of ten thousand in a second leaves less than a hundred lines, and says how many are missing', () => {
    vi.useFakeTimers({ now: 1_000_000 })
    try {
      const { lines, log } = collect()
      for (let count = 0; count < 10_000; count += 1) {
        log.child({ service: 'events' }).error({ err: new Error('down') }, 'request failed')
        if (count % 10 === 9) vi.advanceTimersByTime(1)
      }
      vi.advanceTimersByTime(999)
      expect(lines.length).toBeLessThanOrEqual(100)
      vi.advanceTimersByTime(1001)
      const told = lines.map((line) => JSON.parse(line) as { msg: string; dropped?: number })
      const dropped = told.reduce((sum, { dropped: one = 0 }) => sum + one, 0)
      const written = told.filter(({ msg }) => msg === 'request failed').length
      expect(written + dropped).toBe(10_000)
      expect(written).toBeLessThanOrEqual(100)
    } finally {
      vi.useRealTimers()
    }
  })

  test('holds back neither information nor what ends the process', () => {
    const { lines, log } = collect()
    for (let count = 0; count < 1000; count += 1) log.error('again')
    log.info('still told')
    log.fatal('the end')
    expect(lines.map((line) => JSON.parse(line).msg)).toEqual(
      expect.arrayContaining(['still told', 'the end']),
    )
  })
})

describe('a line', () => {
  test.each([
    ['a line feed', 'a\n{"level":"info","msg":"forged"}'],
    ['a carriage return', 'a\rforged'],
    ['colours and cursor movement', '\u001b[2J\u001b[31mforged'],
    ['the one-character form of the same', '\u009b2Jforged'],
    ['bell, backspace, delete and NUL', '\u0007\b\u007f\u0000forged'],
    ['separators some readers end lines at', 'a\u2028b\u2029c\u0085d'],
  ])('stays one line that no terminal obeys, with %s in it', (_, text) => {
    const { lines, log } = collect()
    log.info({ text, [text]: 1 }, text)
    expect(lines).toHaveLength(1)
    const [line = ''] = lines
    expect(line.indexOf('\n')).toBe(line.length - 1)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be there.
    expect(line.slice(0, -1)).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/)
    expect(JSON.parse(line)).toMatchObject({ text, [text]: 1, msg: text })
  })

  test.each([
    ['one long text', { body: 'x'.repeat(1_000_000) }],
    ['characters of three bytes', { body: '€'.repeat(60_000) }],
    [
      'thousands of texts',
      { list: Array.from({ length: 5000 }, (_, index) => `${index} ${'y'.repeat(500)}`) },
    ],
    ['an error with long causes', { err: nested(5) }],
  ])('of %s is cut to 64 KB and stays JSON', (_, fields) => {
    const { lines, log } = collect()
    log.error({ ...fields, correlationId: 'abcdef0123456789' }, 'failed')
    const [line = ''] = lines
    expect(Buffer.byteLength(line)).toBeLessThanOrEqual(65_536)
    expect(JSON.parse(line)).toMatchObject({
      level: 'error',
      correlationId: 'abcdef0123456789',
      msg: 'failed',
    })
  })
})

describe('a line of one of several processes', () => {
  const long = 'ü\u2028'.repeat(3000)
  test.each([
    ['an error with long causes', { err: nested(5) }],
    ['a text that is not ASCII', { text: long }],
    ['nothing but long texts', { service: long, correlationId: long, list: Array(20).fill(long) }],
  ])('with %s is no longer than a pipe takes at once', (_, fields) => {
    const lines: string[] = []
    const destination = { write: (line: string) => void lines.push(line) }
    createLogger({ level: 'info', destination, isShared: true }).error(fields, long)
    const [line = ''] = lines
    expect(Buffer.byteLength(line)).toBeLessThanOrEqual(4096)
    expect(JSON.parse(line)).toMatchObject({
      level: 'error',
      cut: true,
      msg: expect.stringMatching(/^ü\u2028ü/),
    })
  })
})

function nested(depth: number): Error {
  const message = `${'z'.repeat(15_000)} ${depth}`
  return depth === 0 ? new Error(message) : new Error(message, { cause: nested(depth - 1) })
}

const index = JSON.stringify(new URL('./index.ts', import.meta.url).href)

test('the end of a process loses no line, also when it comes at once', () => {
  const script = `
    const { createLogger, requestLines } = await import(${index})
    const log = createLogger({ level: 'info' })
    const write = requestLines(log)
    const who = { correlationId: 'abcdef01', principal: 'jwt', apiVersion: 'v2' }
    const line = { method: 'GET', route: '/v2/me', status: 200, ms: 1, bytes: 2, ...who }
    for (let count = 0; count < 1000; count += 1) { log.info({ count }, 'said'); write(line) }
    process.exit(3)`
  const { stdout, status } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    encoding: 'utf8',
    maxBuffer: 10_000_000,
  })
  expect(status).toBe(3)
  const lines = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { msg: string })
  expect(lines.filter(({ msg }) => msg === 'said')).toHaveLength(1000)
  expect(lines.filter(({ msg }) => msg === 'request answered')).toHaveLength(1000)
})

test('a process whose output is full lives, and ends with its own code', async () => {
  const script = `
    const { createLogger } = await import(${index})
    const log = createLogger({ level: 'info' })
    log.info('no place for this')
    await new Promise((resolve) => setTimeout(resolve, 300))
    log.info('nor this')
    process.exit(3)`
  const full = openSync('/dev/full', 'w')
  try {
    const args = ['--input-type=module', '-e', script]
    const stdio = ['ignore', full, 'pipe'] as const
    const { status, stderr } = spawnSync(process.execPath, args, { stdio: [...stdio], encoding: 'utf8' })
    expect({ status, stderr }).toEqual({ status: 3, stderr: '' })
  } finally {
    closeSync(full)
  }
})

describe('a process whose reader has gone', () => {
  test.each([
    ['before it ends', ''],
    ['before it says its last', 'await new Promise((resolve) => setTimeout(resolve, 300))'],
  ])('ends with its own code when that was %s', async (_, wait) => {
    const script = `
      const { createLogger } = await import(${index})
      const log = createLogger({ level: 'info' })
      process.stderr.write('ready')
      process.stdin.once('end', async () => {
        log.info('nobody reads this')
        ${wait}
        log.info('nor this')
        process.exit(3)
      }).resume()`
    const child = spawn(process.execPath, ['--input-type=module', '-e', script])
    try {
      await once(child.stderr, 'data')
      child.stdout.destroy()
      await once(child.stdout, 'close')
      child.stdin.end()
      expect(await once(child, 'exit', { signal: AbortSignal.timeout(10_000) })).toEqual([3, null])
    } finally {
      child.kill('SIGKILL')
    }
  })
})
