/** A key of a path: letters, digits and a little punctuation; `\.` is a dot that belongs to the key. */
const key = String.raw`(?:[\p{L}\p{M}\p{N}_ $@:/-]|\\[.\\]){1,100}`
const deepPath = new RegExp(String.raw`^(?:payload|source|target|options|error)(?:\.${key}){1,20}$`, 'u')

/** Fields of an event that hold one value. */
const plainFields: ReadonlySet<string> = new Set(['type', 'id', 'createdAt', 'size'])

/** True for a path that conditions on events may name. */
export const isEventPath = (path: string): boolean => plainFields.has(path) || deepPath.test(path)

/** Wildcards a value may have: each makes the store look again from where the last one ended. */
export const WILDCARDS_MAX = 10

/** How many `*` a value has. */
export const countWildcards = (value: string): number => value.split('*').length - 1
