import type { Run } from '../run.ts'
import { date, elapsed } from './dates.ts'
import { json, jsonmatch, unsafejson } from './json.ts'
import { deepmerge } from './merging.ts'
import type { FunctionName } from './names.ts'
import { abs, ceil, floor, max, min, number, rand, round } from './numbers.ts'
import { isArray, isNumber, isObject, isString, length } from './predicates.ts'
import { base64, lower, sanitize, truncate, upper, uuid } from './strings.ts'
import { join, replace, slice, split } from './text-parts.ts'
import { searchParameters, url } from './urls.ts'

/** A function of the language: plain values in, plain value out, paying for its work from the run. */
export type LanguageFunction = (parameters: readonly unknown[], run: Run) => unknown

const implementations: Readonly<Record<Exclude<FunctionName, 'regex'>, LanguageFunction>> = {
  abs,
  base64,
  ceil,
  date,
  deepmerge,
  elapsed,
  floor,
  isArray,
  isNumber,
  isObject,
  isString,
  join,
  json,
  jsonmatch,
  length,
  lower,
  max,
  min,
  number,
  rand,
  replace,
  round,
  sanitize,
  slice,
  split,
  truncate,
  unsafejson,
  upper,
  URL: url,
  URLSearchParams: searchParameters,
  uuid,
}

/** Every function by lower-case name; `regex` is missing because the parser reads its pattern as syntax. */
export const functions: ReadonlyMap<string, LanguageFunction> = new Map(
  Object.entries(implementations).map(([name, call]) => [name.toLowerCase(), call]),
)
