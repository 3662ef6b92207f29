import { isRecord } from '@platform/kernel'
import { invalid, isGiven } from './given-fields.ts'

/** Who a call of our own API comes from beside the run itself. */
export interface OwnIdentity {
  /** The workspace itself, instead of whoever the run acts for. */
  readonly asWorkspace: boolean
  readonly apiKeyName: string | undefined
}

/** Throws InvalidInstructionError. Undefined where nothing is said, which is how editors write most requests. */
export function ownIdentityOf(auth: unknown, prismeaiApiKey: unknown): OwnIdentity | undefined {
  const { forwardWorkspaceAuth } = fieldsOf(isRecord(auth) ? auth.prismeai : undefined)
  const { name } = fieldsOf(prismeaiApiKey)
  const asWorkspace = forwardWorkspaceAuth === true || forwardWorkspaceAuth === 'true'
  if (!asWorkspace && !isGiven(name)) return undefined
  if (!isGiven(name)) return { asWorkspace, apiKeyName: undefined }
  if (typeof name !== 'string') throw invalid('fetch.prismeaiApiKey.name must be a text.')
  if (!asWorkspace) return { asWorkspace, apiKeyName: name }
  throw invalid('A fetch takes prismeaiApiKey or forwardWorkspaceAuth, not both.')
}

const fieldsOf = (given: unknown) => (isRecord(given) ? given : {}) as Readonly<Record<string, unknown>>
