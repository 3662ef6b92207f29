import { getApiDescription } from '@platform/contracts'
import type { Platform } from '@platform/testing/platform'
import { beforeAll, describe, expect, test } from 'vitest'
import { docsAssets } from './support/docs-assets.ts'
import { shapes, sharedPlatform } from './support/shapes.ts'

describe.each(shapes)('the description of $name', (shape) => {
  let platform: Platform
  beforeAll(async () => {
    platform = await sharedPlatform(shape)
  })

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
    const assets = await docsAssets(platform.origin)
    expect(assets).toHaveLength(5)
    for (const asset of assets) expect(asset).toEqual([asset[0], 200])
  })
})
