/** Bytes under a key, with what must be known to serve them. */
export interface StoredFile {
  bytes: Buffer
  mediaType: string
}

/**
 * Blobs: uploads, photos, definitions. Keys are paths of `[A-Za-z0-9._-]` segments joined by `/`; anything else is
 * refused before a driver sees it. Every method ends within its deadline or rejects with FilesError.
 */
export interface Files extends AsyncDisposable {
  /** `directory` or `s3`. */
  readonly driver: 'directory' | 's3'
  /** Atomic: a reader sees the old bytes or the new ones, never a part. */
  put(key: string, file: StoredFile): Promise<void>
  get(key: string): Promise<StoredFile | undefined>
  /** Deleting what is not there is no error. */
  delete(key: string): Promise<void>
  /** For readiness: resolves when the store answers. */
  reach(signal: AbortSignal): Promise<void>
}
