import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { createAutomation, getAutomation } from '@platform/contracts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { startWorkspaces, type TestWorkspaces } from '../../test/testing.ts'

const folder =
  process.env.CONFORMANCE_DIR ?? new URL('../../../../../shared/conformance', import.meta.url).pathname
const found = existsSync(`${folder}/automations`)
const files = (kind: 'valid' | 'invalid') =>
  found ? readdirSync(`${folder}/automations/${kind}`).sort() : []
const textOf = (kind: 'valid' | 'invalid', file: string) =>
  readFileSync(`${folder}/automations/${kind}/${file}`, 'utf8')

let service: TestWorkspaces
beforeAll(async () => {
  service = await startWorkspaces()
})
afterAll(() => service[Symbol.asyncDispose]())

async function save(text: string) {
  const { workspace, owner, ownerId } = await service.newWorkspace()
  const path = `/v2/workspaces/${workspace.id}/automations`
  const headers = { 'content-type': 'application/yaml' }
  const response = await service.send(path, { method: 'POST', userId: ownerId, headers, body: text })
  const body = (await response.json()) as {
    slug: string
    message: string
    details: Record<string, unknown>[]
  }
  return { status: response.status, body, workspace, owner }
}

describe('the automations of the conformance folder', () => {
  it('are there, or this run says that they are not', () => {
    if (!found) console.warn(`CONFORMANCE SKIPPED: there is no folder ${folder}; set CONFORMANCE_DIR.`)
  })

  it.each(files('valid'))('accept %s and answer it back, as YAML and as JSON', async (file) => {
    const text = textOf('valid', file)
    const written = parse(text) as Record<string, unknown>
    const { status, body, workspace, owner } = await save(text)
    expect(body).not.toHaveProperty('details')
    expect(status).toBe(200)
    const read = await owner(getAutomation, {
      params: { workspaceId: workspace.id, automationSlug: body.slug },
    })
    expect(read).toMatchObject(written)
    expect(JSON.stringify(read.do)).toBe(JSON.stringify(written.do))

    const other = await service.newWorkspace()
    const params = { workspaceId: other.workspace.id }
    const again = await other.owner(createAutomation, { params, body: written as never })
    expect(again.checksum).toBe(read.checksum)
  })

  it.each(files('invalid'))('refuse %s with a position and a sentence', async (file) => {
    const { status, body } = await save(textOf('invalid', file))
    expect(status).toBe(400)
    expect(body).toMatchObject({
      error: 'InvalidAutomation',
      message: expect.stringMatching(/^Line \d+, column \d+: .+\.$/),
    })
    for (const detail of body.details) {
      expect(detail).toMatchObject({
        line: expect.any(Number),
        column: expect.any(Number),
        path: expect.any(String),
        message: expect.stringMatching(/\.$/),
      })
    }
  })
})
