import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { startWorkspaces, type TestWorkspaces } from '../test/testing.ts'

let service: TestWorkspaces
beforeAll(async () => {
  service = await startWorkspaces()
})
afterAll(() => service[Symbol.asyncDispose]())

const page = readFileSync(new URL('../../../docs/automations.md', import.meta.url), 'utf8')

/** What the page shows as YAML, with the heading it stands below. */
const shown = page.split(/^#{2,4} /m).flatMap((section) => {
  const title = section.split('\n', 1)[0] ?? ''
  return [...section.matchAll(/^```yaml\n([\s\S]*?)^```$/gm)].map(([, text = '']) => ({
    title,
    text,
    written: parse(text) as Record<string, unknown>,
  }))
})
const functions = shown.filter(({ written }) => 'code' in written)
const automations = shown.filter(({ written }) => !('code' in written))

async function save(method: string, path: string, type: string, body: string) {
  const { workspace, ownerId } = await service.newWorkspace()
  const response = await service.send(`${path.replace(':id', workspace.id)}`, {
    method,
    userId: ownerId,
    headers: { 'content-type': type },
    body,
  })
  return [response.status, response.ok ? '' : await response.text()]
}

describe('what the documents of automations show is accepted when it is saved:', () => {
  test.each(automations)('the automation of $title', async ({ text, written }) => {
    const whole = 'name' in written ? text : `name: example\n${text}`
    expect(await save('POST', '/v2/workspaces/:id/automations', 'application/yaml', whole)).toEqual([200, ''])
  })

  test.each(functions)('the function $written.name', async ({ written: { name, ...declared } }) => {
    const path = `/v2/functions/:id/${name}`
    expect(await save('PUT', path, 'application/json', JSON.stringify(declared))).toEqual([200, ''])
  })

  test('and there are some of both', () => {
    expect(automations.length).toBeGreaterThan(20)
    expect(functions.map(({ written }) => written.name)).toEqual(['total', 'greeting', 'mean'])
  })
})
