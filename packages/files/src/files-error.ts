import { StoreError } from '@platform/kernel'

/** What went wrong in the file store. `unavailable` means: not now; callers answer 503 and may try again. */
export class FilesError extends StoreError {
  override readonly name = 'FilesError'
}
