import { createMongoAbility, type MongoAbility, type RawRuleOf, subject as tagged } from '@casl/ability'

/**
 * The questions CASL answers: an action on a kind of thing, or on one thing of it. Both are words, because keys may
 * hold any.
 */
export type AppAbility = MongoAbility<[string, string | Record<string, unknown>]>

/** A right as CASL reads it. */
export type Rule = RawRuleOf<AppAbility>

/** Fields of the thing that is asked about; conditions of rules are evaluated on them. */
export type Resource = Readonly<Record<string, unknown>>

const known = new WeakMap<readonly Rule[], AppAbility>()

/** The ability made of rules; the same list of rules is compiled once. */
export function abilityOf(rules: readonly Rule[]): AppAbility {
  const made = known.get(rules) ?? createMongoAbility<AppAbility>([...rules])
  known.set(rules, made)
  return made
}

/** The mark CASL leaves on what it is asked about; a field of this name would contradict it. */
const MARK = '__caslSubjectType__'

/** The rule that decides about an action on one thing; undefined when none matches, which denies. */
export const decidingRule = (rules: readonly Rule[], action: string, subject: string, resource: Resource) =>
  abilityOf(rules).relevantRuleFor(action, thing(subject, resource))

/** Whether rules allow an action on one thing. */
export const allows = (
  rules: readonly Rule[],
  action: string,
  subject: string,
  resource: Resource,
): boolean => abilityOf(rules).can(action, thing(subject, resource))

function thing(subject: string, resource: Resource): Record<string, unknown> {
  const { [MARK]: _, ...fields } = resource
  return tagged(subject, fields)
}
