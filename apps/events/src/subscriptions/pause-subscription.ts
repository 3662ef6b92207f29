import type { Principal } from '@platform/auth'
import { pauseSubscription as pause, resumeSubscription as resume } from '@platform/contracts'
import { route } from '@platform/http'
import type { Admission } from '@platform/permissions'
import { changedBy, commitChange } from './change-subscription.ts'
import type { SubscriptionNeeds } from './needs.ts'
import { described } from './subscription.ts'
import { managerOf } from './subscription-access.ts'

type Needs = Pick<SubscriptionNeeds, 'changes' | 'masterKeys' | 'clock'>

/** Collects and sends nothing from now on. */
export const pauseSubscription = (deps: Needs) =>
  route(pause, { handle: (asked) => switchTo(false, deps, asked) })

/** Collects and sends again. */
export const resumeSubscription = (deps: Needs) =>
  route(resume, { handle: (asked) => switchTo(true, deps, asked) })

interface Asked {
  params: { subscriptionId: string }
  principal: Principal
  admitted: Admission
}

async function switchTo(active: boolean, deps: Needs, { params, principal, admitted }: Asked) {
  const manager = managerOf(principal, admitted)
  const now = deps.clock.now()

  const changed = await commitChange(deps, manager, params.subscriptionId, (before) =>
    changedBy(before, { active }, manager, deps.masterKeys, now),
  )

  return described(changed)
}
