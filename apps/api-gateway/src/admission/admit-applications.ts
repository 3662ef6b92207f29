import { admitApplication } from '@platform/auth'
import type { FindContract } from '@platform/contracts'
import type { Step } from '../exchange.ts'

/**
 * Services are not told whose application has sent a token: what no scope of an application stands for is refused
 * here. Of a path below /v2 that no contract describes, nothing says that users have agreed to it.
 */
export const admitApplications =
  (findContract: FindContract): Step =>
  ({ principal, forwarding, request, path }) => {
    if (forwarding === undefined || principal?.kind !== 'user' || principal.thirdParty !== true) return
    if (path.startsWith('/v2/')) admitApplication(findContract(request.method ?? '', path))
  }
