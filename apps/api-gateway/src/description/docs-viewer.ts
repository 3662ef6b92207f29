import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename } from 'node:path'
import { EncodedBody, hashOf } from './encoded-body.ts'
import { FRAME_STYLES, START_SCRIPT } from './viewer-frame.ts'
import { viewerPage } from './viewer-page.ts'

/** A file of the viewer. */
export interface DocsAsset {
  /** Name with the hash of the content. */
  name: string
  contentType: string
  body: EncodedBody
}

/** The pages at /docs: everything they need comes from here. */
export interface DocsViewer {
  page(): Promise<{ html: string; headers: Record<string, string> }>
  /** undefined for a name that is not one of the files as they are now. */
  asset(name: string): Promise<DocsAsset | undefined>
}

/** The path of each file of the viewer is written whole, so that bundles find it and take it along. */
const sources = {
  viewerStyles: {
    contentType: 'text/css; charset=utf-8',
    path: () => createRequire(import.meta.url).resolve('swagger-ui-dist/swagger-ui.css'),
  },
  viewerScript: {
    contentType: 'text/javascript; charset=utf-8',
    path: () => createRequire(import.meta.url).resolve('swagger-ui-dist/swagger-ui-bundle.js'),
  },
  icon: {
    contentType: 'image/png',
    path: () => createRequire(import.meta.url).resolve('swagger-ui-dist/favicon-32x32.png'),
  },
  frameStyles: { file: 'frame.css', contentType: 'text/css; charset=utf-8', text: FRAME_STYLES },
  startScript: { file: 'start.js', contentType: 'text/javascript; charset=utf-8', text: START_SCRIPT },
} satisfies Record<string, Source>

type Source = { contentType: string } & ({ file: string; text: string } | { path: () => string })
type DocsAssets = Record<keyof typeof sources, DocsAsset>

/** Reads the files when they are asked for first, and once; a failure is tried again. */
export function docsViewer(): DocsViewer {
  let loading: Promise<DocsAssets> | undefined
  const load = (): Promise<DocsAssets> => {
    loading ??= loadAssets().catch((error: unknown) => {
      loading = undefined
      throw error
    })
    return loading
  }
  return {
    page: async () => viewerPage(await load()),
    asset: async (name) => Object.values(await load()).find((one) => one.name === name),
  }
}

async function loadAssets(): Promise<DocsAssets> {
  const loaded = await Promise.all(
    Object.entries(sources).map(async ([purpose, source]) => [purpose, await loadAsset(source)] as const),
  )
  return Object.fromEntries(loaded) as DocsAssets
}

async function loadAsset(source: Source): Promise<DocsAsset> {
  const { contentType } = source
  const { file, bytes } =
    'text' in source
      ? { file: source.file, bytes: Buffer.from(source.text) }
      : { file: basename(source.path()), bytes: await readFile(source.path()) }
  return { name: file.replace(/\.(\w+)$/, `.${hashOf(bytes)}.$1`), contentType, body: new EncodedBody(bytes) }
}
