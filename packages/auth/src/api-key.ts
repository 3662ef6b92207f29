import { randomUUID } from 'node:crypto'

/** The prefix of API keys. */
const PREFIX = 'iak_'

/** A slug may hold `_` itself: the UUID is the last part. */
const SHAPE =
  /^iak_([a-z0-9][a-z0-9_-]{0,62})_[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

/** Longer texts are no keys, and are not looked at. */
const MAX_LENGTH = 110

/**
 * True for texts of the form iak_{orgSlug}_{uuid}; whether there is such a key is another question.
 */
export const isApiKey = (text: string): boolean => text.length <= MAX_LENGTH && SHAPE.test(text)

/** A new key, with 122 random bits. The slug is decoration: the record of the key decides. */
export const newApiKey = (orgSlug: string): string => `${PREFIX}${orgSlug}_${randomUUID()}`

/** A key as lists, events and logs show it: iak_acme_…4f2a. `tail` are its last 4 characters. */
export const maskedApiKey = (orgSlug: string, tail: string): string => `${PREFIX}${orgSlug}_…${tail}`
