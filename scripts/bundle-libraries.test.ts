import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'

const committed = fileURLToPath(new URL('../packages/custom-code/libraries/', import.meta.url))

test('libraries of functions are those of the lockfile, and what stands around functions is as it is', () => {
  const made = `${mkdtempSync(join(tmpdir(), 'libraries-'))}/`
  onTestFinished(() => rmSync(made, { recursive: true }))
  execFileSync(process.execPath, ['scripts/bundle-libraries.ts', made])
  const files = readdirSync(made)
  expect(files.length).toBeGreaterThan(10)
  expect(readdirSync(committed).filter((file) => file.endsWith('.library.js'))).toEqual(files)
  for (const file of files)
    if (readFileSync(made + file, 'utf8') !== readFileSync(committed + file, 'utf8'))
      throw new Error(`${file} is not current: run node scripts/bundle-libraries.ts and commit it.`)
})
