import { glob } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { identityEnvironment } from './config.ts'

test('the environment of identity is that of all its areas', async () => {
  for await (const file of glob('**/*-env.ts', { cwd: import.meta.dirname })) {
    const area: Record<string, unknown> = await import(join(import.meta.dirname, file))
    const schemas = Object.entries(area).filter(([name]) => name.endsWith('Env'))
    expect(schemas.length, file).toBeGreaterThan(0)
    for (const [name, schema] of schemas) expect(identityEnvironment, name).toContain(schema)
  }
})
