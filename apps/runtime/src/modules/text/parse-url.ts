/** Types of files by their ending, those that automations meet. */
const MIME_TYPES: Readonly<Record<string, string>> = {
  csv: 'text/csv',
  doc: 'application/msword',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  gif: 'image/gif',
  gz: 'application/gzip',
  htm: 'text/html',
  html: 'text/html',
  jpeg: 'image/jpeg',
  jpg: 'image/jpeg',
  js: 'text/javascript',
  json: 'application/json',
  md: 'text/markdown',
  mp3: 'audio/mpeg',
  mp4: 'video/mp4',
  odt: 'application/vnd.oasis.opendocument.text',
  pdf: 'application/pdf',
  png: 'image/png',
  ppt: 'application/vnd.ms-powerpoint',
  pptx: 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
  svg: 'image/svg+xml',
  txt: 'text/plain',
  wav: 'audio/wav',
  webp: 'image/webp',
  xls: 'application/vnd.ms-excel',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  xml: 'application/xml',
  yaml: 'application/yaml',
  yml: 'application/yaml',
  zip: 'application/zip',
}

/** The parts of an address; of what is none the path is the whole text. */
export function parseUrl({ url }: { readonly url: string }) {
  const parsed = URL.parse(url.trim())
  const [bare = '', rest = ''] = parsed === null ? url.trim().split(/[?#](.*)/s) : []
  const path = parsed?.pathname ?? bare
  return {
    protocol: parsed?.protocol.replace(/:$/, '') ?? '',
    origin: parsed === null || parsed.origin === 'null' ? '' : parsed.origin,
    domain: parsed?.hostname ?? '',
    port: parsed?.port ?? '',
    path,
    query: Object.fromEntries(parsed?.searchParams ?? new URLSearchParams(rest)),
    hash: parsed?.hash.replace(/^#/, '') ?? '',
    ...fileOf(decoded(path.slice(path.lastIndexOf('/') + 1))),
    workspaceId: /\/(?:files|workspaces)\/([^/]+)/.exec(path)?.[1] ?? '',
  }
}

/** `{id}.{name}.{ext}` has an id; with one dot or none all of it is the name of the file. */
function fileOf(segment: string) {
  const dots = segment.split('.').length - 1
  const cut = dots >= 2 ? segment.indexOf('.') : -1
  const filename = segment.slice(cut + 1)
  const ext = dots === 0 ? '' : segment.slice(segment.lastIndexOf('.') + 1).toLowerCase()
  const mimetype = Object.hasOwn(MIME_TYPES, ext) ? (MIME_TYPES[ext] ?? '') : ''
  return { id: segment.slice(0, Math.max(cut, 0)), filename, ext, mimetype }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
