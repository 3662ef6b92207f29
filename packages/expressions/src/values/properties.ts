import { cutAt } from '@platform/kernel'
import type { Meter } from '../scope.ts'

const hasOwn = Object.hasOwn

/** Names that lead from data to the machinery behind it; no expression reads or writes them. */
export function isDeniedName(name: string): boolean {
  return name === '__proto__' || name === 'constructor' || name === 'prototype'
}

/** An own property of data, undefined for everything inherited, denied or callable. */
export function readProperty(target: unknown, key: string): unknown {
  if (target === null || target === undefined) return undefined
  if (typeof target !== 'object') return typeof target === 'string' ? readCharacter(target, key) : undefined
  if (!hasOwn(target, key) || isDeniedName(key)) return undefined
  const value: unknown = Reflect.get(target, key)
  return typeof value === 'function' ? undefined : value
}

function readCharacter(text: string, key: string): unknown {
  if (key === 'length') return text.length
  return /^\d+$/.test(key) && Number(key) < text.length ? characterAt(text, Number(key)) : undefined
}

/** One that takes two positions is at the first of them, and nothing at the second. */
function characterAt(text: string, at: number): string {
  return cutAt(text, at) < at ? '' : String.fromCodePoint(text.codePointAt(at) ?? 0)
}

/** Listing the keys of a large object is dear: they are put in order. */
const perKey = 8

/** The keys of an object, paid for; what lists them was made before and is no larger than memory allows. */
export function keysOf(value: object, meter: Meter): string[] {
  const keys = Object.keys(value)
  meter.pay(keys.length * perKey)
  return keys
}

/** A plain object: what object literals and JSON make, whatever realm or null prototype it has. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || prototype === Object.prototype || isForeignRecord(prototype)
}

// Records made in another realm (a worker's vm context) have a prototype of their own with nothing above it.
function isForeignRecord(prototype: unknown): boolean {
  return (
    typeof prototype === 'object' &&
    Object.getPrototypeOf(prototype) === null &&
    Object.hasOwn(prototype ?? {}, 'hasOwnProperty')
  )
}

/** Whether a value is missing; null counts, because JSON has no undefined. */
export function isNothing(value: unknown): value is undefined | null {
  return value === undefined || value === null
}
