export { type Files, FilesError, type StoredFile } from './files.ts'
export { filesUrlOf, openFiles } from './open-files.ts'
