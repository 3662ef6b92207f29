import { getApiDescription, getDocsAsset, showDocs } from '@platform/contracts'
import type { Platform } from '@platform/testing/platform'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { shapes } from './support/shapes.ts'

describe.each(shapes)('the description of $name', (shape) => {
  let platform: Platform
  beforeAll(async () => {
    platform = await shape.start()
  })
  afterAll(() => platform[Symbol.asyncDispose]())

  test('names every service and the address of this installation', async () => {
    const document = (await (await fetch(platform.origin + getApiDescription.path)).json()) as {
      paths: object
    }
    const paths = Object.keys(document.paths)
    expect(paths).toEqual(
      expect.arrayContaining([
        '/v2/me',
        '/v2/workspaces',
        '/v2/workspaces/{workspaceId}/events',
        '/oidc/token',
      ]),
    )
    expect(paths.filter((path) => path.startsWith('/sys/'))).toEqual(['/sys/livez', '/sys/readyz'])
  })

  test('is shown as pages whose files are all there', async () => {
    const page = await fetch(platform.origin + showDocs.path)
    const names = [...(await page.text()).matchAll(/"\/docs\/([^"]+)"/g)].map(([, name]) => String(name))
    expect(names).toHaveLength(5)
    for (const asset of names) {
      const answer = await fetch(platform.origin + getDocsAsset.path.replace(':asset', asset))
      expect([asset, answer.status]).toEqual([asset, 200])
    }
  })
})
