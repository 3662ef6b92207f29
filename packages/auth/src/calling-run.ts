import type { IncomingHttpHeaders } from 'node:http'
import { headers as names } from '@platform/contracts'

/** The run of an automation that a request comes from. Only the gateway says it, of a token that a runtime has made. */
export interface CallingRun {
  readonly workspaceId: string
  readonly runId: string
  /** How many automations stand behind one another there. */
  readonly depth: number
}

/** As headers for services, a flat raw list; the gateway sends them beside the internal key. */
export const callingRunHeaders = ({ workspaceId, runId, depth }: CallingRun): string[] => [
  ...[names.sourceWorkspaceId, workspaceId, names.sourceRunId, runId, names.sourceDepth, String(depth)],
]

/** Reads what `callingRunHeaders` wrote. Call it only where the internal key was sent beside it. */
export function readCallingRun(headers: IncomingHttpHeaders): CallingRun | undefined {
  const { [names.sourceWorkspaceId]: workspaceId, [names.sourceRunId]: runId } = headers
  if (typeof workspaceId !== 'string' || typeof runId !== 'string') return undefined
  const depth = Number(headers[names.sourceDepth])
  return { workspaceId, runId, depth: Number.isSafeInteger(depth) ? depth : 0 }
}
