import { refuseAccessToken, refuseApplication } from '@platform/auth'
import { admitsThirdParties, type Endpoint } from '@platform/contracts'
import { declaredEndpoints } from '@platform/openapi'
import type { Step } from '../exchange.ts'

/** What the contracts below `/v2/<name>` have in common: it holds for paths there that no contract describes, too. */
interface Area {
  /** All of them are for people: accounts are changed and sessions are made by who signed in. */
  isInteractive: boolean
  /** At least one may be called by applications that are not the platform's own. */
  admitsApplications: boolean
}

const areaOf = (path: string): string | undefined => /^\/v2\/([^/]+)/.exec(path)?.[1]

function areasOf(contracts: readonly Endpoint[]): ReadonlyMap<string | undefined, Area> {
  const byArea = Map.groupBy(contracts, ({ path }) => areaOf(path))
  return new Map(
    [...byArea].map(([name, members]) => [
      name,
      {
        isInteractive: members.every(({ interactive }) => interactive === true),
        admitsApplications: members.some(admitsThirdParties),
      },
    ]),
  )
}

const areas = areasOf(declaredEndpoints)

/**
 * Refuses access tokens where people act, and tokens of applications that are not the platform's own where no scope
 * says what their users agreed to. Decided for whole areas and before any route, so that a path that is added later
 * can't be forgotten; the contract of each operation decides the rest.
 */
export const admitTokens: Step = ({ principal, path, forwarding, isSafe }) => {
  if (principal?.kind !== 'user') return
  if (principal.via !== 'accessToken' && principal.thirdParty !== true) return
  const area = areas.get(areaOf(path))
  if (area?.isInteractive === true) refuseAccessToken(principal)
  if (principal.thirdParty !== true) return
  // A key that an application made would go on working when its person has taken everything back.
  const isForPeople = forwarding?.interactiveWrites === true && !isSafe
  if (isForPeople || area?.admitsApplications === false) refuseApplication()
}
