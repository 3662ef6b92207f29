import { getDocsAsset as assetContract, showDocs as pageContract } from '@platform/contracts'
import { respond, route } from '@platform/http'
import { Failure } from '@platform/kernel'
import type { DocsViewer } from './docs-viewer.ts'
import { sendEncoded } from './encoded-body.ts'

/** GET /docs/:asset — the name of a file has the hash of its content, so browsers may cache it for good. */
export const getDocsAsset = ({ viewer }: { viewer: DocsViewer }) =>
  route(assetContract, {
    async handle({ params, request }) {
      const asset = await viewer.asset(params.asset)
      if (asset === undefined) throw new Failure('ObjectNotFoundError', 'The pages have no such file.')

      return sendEncoded(asset.body, request.headers['accept-encoding'], {
        contentType: asset.contentType,
        cacheControl: 'public, max-age=31536000, immutable',
      })
    },
  })

/** GET /docs — the frame of the viewer; its files are asked for by names that never mean anything else. */
export const showDocs = ({ viewer }: { viewer: DocsViewer }) =>
  route(pageContract, {
    async handle() {
      const { html, headers } = await viewer.page()

      return respond(html, { contentType: 'text/html; charset=utf-8', headers })
    },
  })
