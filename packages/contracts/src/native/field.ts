import { z } from 'zod'

/** What payloads of native events are made of: objects stay open, as their makers may tell more. */
export const text = z.string()
export const texts = z.array(z.string())
export const number = z.number()
export const open = z.looseObject({})
export const anything = z.unknown()
