import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { compiled, type TestAutomation } from '../../test/testing.ts'

const folder =
  process.env.CONFORMANCE_DIR ?? fileURLToPath(new URL('../../../../../shared/conformance', import.meta.url))
const valid = `${folder}/automations/valid`
const isThere = existsSync(valid)
if (!isThere) console.warn(`SKIPPED: no automations at ${valid}; set CONFORMANCE_DIR to compile them.`)

describe('automations that exist', () => {
  test.each(isThere ? readdirSync(valid) : [])('%s compiles', async (file) => {
    const definition: TestAutomation = parse(readFileSync(`${valid}/${file}`, 'utf8'), { logLevel: 'silent' })
    expect((await compiled({ main: definition }).compile('main'))?.problems).toEqual([])
  })

  test('are looked for', () => expect(folder).not.toBe(''))
})
