import type { EncodedBody } from './encoded-body.ts'

/** A file of the viewer. */
export interface DocsAsset {
  /** Name with the hash of the content. */
  name: string
  contentType: string
  body: EncodedBody
}

/** The files of the viewer by what they are for. */
export type DocsAssets = Record<
  'viewerStyles' | 'viewerScript' | 'icon' | 'frameStyles' | 'startScript',
  DocsAsset
>
