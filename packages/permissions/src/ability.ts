import { createMongoAbility, type MongoAbility, type RawRuleOf } from '@casl/ability'
import type { Action, Subject } from './permissions.ts'

/** The questions CASL answers: an action on a kind of thing. */
export type AppAbility = MongoAbility<[Action, Subject | 'all']>

const known = new WeakMap<readonly RawRuleOf<AppAbility>[], AppAbility>()

/** The ability made of rules; the same list of rules is compiled once. */
export function abilityOf(rules: readonly RawRuleOf<AppAbility>[]): AppAbility {
  const made = known.get(rules) ?? createMongoAbility<AppAbility>([...rules])
  known.set(rules, made)
  return made
}
