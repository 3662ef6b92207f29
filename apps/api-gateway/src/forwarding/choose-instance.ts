import type { Instance } from './instance.ts'

/** Requests one instance may have open before further ones are refused: a queue that grows helps nobody. */
const OUTSTANDING_MAX = 4000

/**
 * The instance a request goes to: the least busy good one; of more than two, the less busy of two that are drawn,
 * because several gateways that all choose the least busy one would all choose the same. When none is good, one that
 * drains or is silent; when none of those admits a request either, undefined. `other` failed just now and is left out
 * while there is another.
 */
export function chooseInstance(list: readonly Instance[], other: Instance | undefined): Instance | undefined {
  const only = list[0]
  if (list.length !== 1 || only === undefined) return amongSeveral(list, other)
  return only === other && only.breaker.isOpen ? undefined : admitted(only)
}

function amongSeveral(list: readonly Instance[], other: Instance | undefined): Instance | undefined {
  const others = other === undefined ? list : list.filter((instance) => instance !== other)
  const good = others.filter(({ isGood }) => isGood)
  if (good.length > 0) return admitted(good.length > 2 ? drawn(good) : leastBusy(good))
  const closed = others.filter(({ breaker }) => !breaker.isOpen)
  if (closed.length > 0) return admitted(leastBusy(closed))
  return others.find(({ breaker }) => breaker.admits())
}

const admitted = (instance: Instance): Instance | undefined =>
  instance.outstanding < OUTSTANDING_MAX && instance.breaker.admits() ? instance : undefined

function drawn(list: readonly Instance[]): Instance {
  const first = Math.floor(Math.random() * list.length)
  const second = (first + 1 + Math.floor(Math.random() * (list.length - 1))) % list.length
  return lessBusy(list[first] as Instance, list[second] as Instance)
}

const leastBusy = (list: readonly Instance[]): Instance => list.reduce(lessBusy)

/** Of two that are equally busy any: always the same one would get all of a calm hour. */
function lessBusy(one: Instance, another: Instance): Instance {
  if (one.outstanding === another.outstanding) return Math.random() < 0.5 ? one : another
  return one.outstanding < another.outstanding ? one : another
}
