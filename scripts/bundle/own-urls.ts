import { relative } from 'node:path'
import type { Plugin } from 'rolldown'

/**
 * A module of ours that reads a file beside itself (a migration, a page) goes on reading it there, from wherever its
 * code is run: the bundles stand beside the sources in the image.
 */
export const ownUrls = (root: string, directory: string): Plugin => ({
  name: 'own-urls',
  transform: {
    filter: { code: 'import.meta.url' },
    handler(code, id) {
      if (!id.startsWith(`${root}apps/`) && !id.startsWith(`${root}packages/`)) return undefined
      const path = encodeURI(relative(directory, id).split('\\').join('/'))
      return code.replaceAll('import.meta.url', `new URL(${JSON.stringify(path)}, __bundleUrl).href`)
    },
  },
  renderChunk: (code) => code.replaceAll('__bundleUrl', 'import.meta.url'),
})
