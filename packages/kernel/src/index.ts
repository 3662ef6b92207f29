export { Breaker } from './breaker.ts'
export { type Clock, DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS, systemClock } from './clock.ts'
export { byCodePoints, cutAt, hashOfText, sliceText } from './code-points.ts'
export { Deadline } from './deadline.ts'
export { atMost } from './entries.ts'
export {
  Failure,
  type FailureBody,
  type FailureName,
  failures,
  isFailureName,
  StoreError,
} from './failure.ts'
export { FairPlaces, type GiveBack } from './fair-places.ts'
export { type FindText, MAX_PLAIN_SEARCH, textFinder } from './find-text.ts'
export {
  derivedUuidv7,
  isDerivedUuid,
  isUuid,
  lowestUuidv7,
  newWorkspaceId,
  randomBase62,
  uuidv7,
  uuidv7Ms,
} from './ids.ts'
export { isRecord } from './is-record.ts'
export { beforeAbort, growingPauseMs, retryAfterMsOf, triedAgain } from './pauses.ts'
export { ShortLivedMap } from './short-lived-map.ts'
export { SlotList } from './slot-list.ts'
export {
  STORE_BUDGET_MS,
  StoreBudget,
  storeBudget,
  withLeastBudget,
  withoutStoreBudget,
  withStoreBudget,
} from './store-budget.ts'
export { WakeUp } from './wake-up.ts'
