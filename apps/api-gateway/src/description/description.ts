import type { Part } from '@platform/service'
import { getDocsAsset, showDocs } from './docs-operations.ts'
import { docsViewer } from './docs-viewer.ts'
import { getApiDescription } from './get-api-description.ts'

/** The description of the API and its pages. `apiUrl` is the address of the API, with its version. */
export function openDescription({ apiUrl }: { apiUrl: string }): Part {
  const viewer = docsViewer()
  return {
    routes: [
      getApiDescription({ origin: new URL(apiUrl).origin }),
      showDocs({ viewer }),
      getDocsAsset({ viewer }),
    ],
  }
}
