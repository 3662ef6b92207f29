import { showDocs as endpoint } from '@platform/contracts'
import { respond, route } from '@platform/http'
import type { DocsViewer } from './docs-viewer.ts'

/** GET /docs — the frame of the viewer; its files are asked for by names that never mean anything else. */
export const showDocs = ({ viewer }: { viewer: DocsViewer }) =>
  route(endpoint, {
    async handle() {
      const { html, headers } = await viewer.page()

      return respond(html, { contentType: 'text/html; charset=utf-8', headers })
    },
  })
