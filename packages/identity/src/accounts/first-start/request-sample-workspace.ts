import { createSampleWorkspace, headers as names } from '@platform/contracts'
import { createClient } from '@platform/http'

/**
 * Asks the workspaces service for the sample workspace of the first administrator. Rejects when it can't be made now.
 */
export const requestSampleWorkspace = (deps: { workspacesUrl: string; internalKey: string }) => {
  const client = createClient(deps.workspacesUrl, { [names.internalKey]: deps.internalKey }, 3000)
  return async (ownerId: string): Promise<void> => {
    await client(createSampleWorkspace, { body: { ownerId } })
  }
}
