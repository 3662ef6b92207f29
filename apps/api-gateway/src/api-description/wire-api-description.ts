import type { Route } from '@platform/http'
import { apiDescription } from './api-description.ts'
import { docsViewer } from './docs-viewer.ts'
import { getApiDescription } from './get-api-description.ts'
import { getDocsAsset } from './get-docs-asset.ts'
import { showDocs } from './show-docs.ts'

/**
 * The description of the API and its pages, for the composition root. `apiUrl` is where the API answers, with its
 * version.
 */
export function wireApiDescription({ apiUrl }: { apiUrl: string }): Route[] {
  const viewer = docsViewer()
  return [
    getApiDescription({ description: apiDescription({ origin: new URL(apiUrl).origin }) }),
    showDocs({ viewer }),
    getDocsAsset({ viewer }),
  ]
}
