export type { Files, StoredFile } from './files.ts'
export { FilesError } from './files-error.ts'
export { filesUrlOf } from './files-url.ts'
export { openFiles } from './open-files.ts'
