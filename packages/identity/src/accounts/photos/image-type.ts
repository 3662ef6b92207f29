/** The pictures that are taken; SVG is none of them, for it is a document that may run something. */
export type ImageType = 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp'

const endings: Record<ImageType, string> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/gif': 'gif',
  'image/webp': 'webp',
}

/** What a picture is by its first bytes, whatever its name or its sender say; undefined for anything else. */
export function imageTypeOf(bytes: Buffer): ImageType | undefined {
  const text = bytes.toString('latin1', 0, 16)
  if (text.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png'
  if (text.startsWith('\xff\xd8\xff')) return 'image/jpeg'
  if (/^GIF8[79]a/.test(text)) return 'image/gif'
  return /^RIFF[\s\S]{4}WEBPVP8[ LX]/.test(text) ? 'image/webp' : undefined
}

/** True for a type this service has stored. */
export const isImageType = (mediaType: string): mediaType is ImageType => Object.hasOwn(endings, mediaType)

/** What a saved picture's name should end in. */
export const endingOf = (type: ImageType): string => endings[type]
