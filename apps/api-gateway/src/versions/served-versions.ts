import { datedChanges } from './transforms/dated-changes.ts'
import { v1Transforms, v3Transforms } from './transforms/majors.ts'
import { type Transform, transformFinder } from './transforms/transform.ts'

/** Finds what is to be done with an operation of v2, the outermost step first for responses and last for requests. */
export type FindTransforms = (method: string, path: string) => Transform[]

/** How a major version is served by the handlers of v2. */
const majors: ReadonlyMap<string, FindTransforms> = new Map([
  ['v1', transformFinder(v1Transforms)],
  ['v2', transformFinder([])],
  ['v3', transformFinder(v3Transforms)],
])

/** The transforms of a major version; undefined for one that no code serves, whatever the table says. */
export const majorTransforms = (name: string): FindTransforms | undefined => majors.get(name)

const newestFirst = datedChanges.toReversed()
/** At each date the changes after it are undone; between two changes nothing differs. */
const undone = newestFirst.map((_, index) =>
  transformFinder(newestFirst.slice(0, index + 1).flatMap(({ transforms }) => transforms)),
)

/** The behaviour of a major version at a date. */
export function behaviourOf(
  name: string,
  releasedOn: string,
  date: string,
): { used: string; find: FindTransforms | undefined } {
  if (name !== 'v2') return { used: releasedOn, find: majorTransforms(name) }
  const newest = newestFirst.findIndex((change) => change.date <= date)
  const later = newest < 0 ? newestFirst.length : newest
  return {
    used: newestFirst[newest]?.date ?? releasedOn,
    find: later === 0 ? majorTransforms(name) : undone[later - 1],
  }
}
