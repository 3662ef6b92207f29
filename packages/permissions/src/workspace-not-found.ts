import { Failure } from '@platform/kernel'

/** The one answer for a workspace that is missing, deleted, or not the caller's to know (404). */
export const workspaceNotFound = (): Failure =>
  new Failure(
    'ObjectNotFoundError',
    'There is no such workspace: check its id or slug, and that you are a member of it.',
  )
