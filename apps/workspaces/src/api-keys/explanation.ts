import { rightActions, rightSubjects } from '@platform/contracts'
import type { ApiKeyRecord, KeyVerdict, WorkspaceRole } from '@platform/permissions'

interface Judged {
  key: ApiKeyRecord
  /** False when the key is disabled or expired. */
  usable: boolean
  verdict: KeyVerdict
  creatorRole: WorkspaceRole | undefined
  action: string
  subject: string
}

const isAmong = (words: readonly string[], word: string): boolean => words.includes(word)

/** What is wrong with the question itself; undefined when both words are known. */
export function unknownWords(action: string, subject: string): string | undefined {
  const told: string[] = []
  if (!isAmong(rightActions, action))
    told.push(`there is no action ${JSON.stringify(action)}, only ${rightActions.join(', ')}`)
  if (!isAmong(rightSubjects, subject))
    told.push(`there is no subject ${JSON.stringify(subject)}, only ${rightSubjects.join(', ')}`)
  return told.length === 0 ? undefined : `Denied: ${told.join('; and ')}.`
}

/** One sentence: why a key may do something or not, and what to change. */
export function explanation(judged: Judged): string {
  const { key, usable, verdict } = judged
  if (key.disabled) return 'Denied: the key is disabled.'
  if (!usable) return `Denied: the key expired at ${key.expiresAt?.toISOString()}.`
  return sentences[verdict.cause](judged)
}

const sentences: Readonly<Record<KeyVerdict['cause'], (judged: Judged) => string>> = {
  granted: ({ verdict, key }) =>
    `Allowed by rule ${placeOf(verdict, key)} of the key, which its creator holds too.`,
  noRule: ({ action, subject }) =>
    `Denied: no rule of the key allows to ${action} this of ${subject}; add one that does.`,
  neverForKeys: ({ action }) => `Denied: no API key may ${action}, whatever its rules say.`,
  creatorMayNot: ({ verdict, key, creatorRole, action, subject }) =>
    `Denied: rule ${placeOf(verdict, key)} matches, but the creator of the key ${standing(creatorRole)} and may not ${action} ${subject}; make the key anew as an owner.`,
}

/** Counted from 1, as a person does. */
const placeOf = ({ rule }: KeyVerdict, { rules }: ApiKeyRecord): number =>
  rule === undefined ? 0 : rules.indexOf(rule) + 1

const standing = (role: WorkspaceRole | undefined): string =>
  role === undefined ? 'is no member of the workspace any more' : `is only ${role} now`
