import { isDeepStrictEqual } from 'node:util'
import { matchesFilter, type Options } from '@platform/expressions'
import { Failure, isRecord } from '@platform/kernel'
import type { Data } from './record.ts'

type Change = (
  data: Record<string, unknown>,
  path: readonly string[],
  operand: unknown,
  options: Options,
) => void

const OPERATORS: Readonly<Record<string, Change>> = {
  $set: (data, path, value) => write(data, path, value),
  $unset: (data, path) => remove(data, path),
  $inc(data, path, by) {
    const before = read(data, path) ?? 0
    if (typeof before !== 'number' || typeof by !== 'number')
      throw wrong(path, '$inc adds a number to a number')
    write(data, path, before + by)
  },
  $push: (data, path, value) => write(data, path, [...listAt(data, path, '$push'), ...itemsOf(value)]),
  $addToSet(data, path, value) {
    const list = [...listAt(data, path, '$addToSet')]
    for (const item of itemsOf(value)) if (!list.some((one) => isDeepStrictEqual(one, item))) list.push(item)
    write(data, path, list)
  },
  $pull(data, path, condition, options) {
    if (read(data, path) === undefined) return
    const isAbout = isRecord(condition) && !Object.keys(condition).some((key) => key.startsWith('$'))
    const fits = (item: unknown) =>
      isAbout
        ? matchesFilter(item, condition, options)
        : matchesFilter({ item }, { item: condition }, options)
    write(
      data,
      path,
      listAt(data, path, '$pull').filter((item) => !fits(item)),
    )
  },
}

/** What a record becomes. Properties without an operator are set. */
export function changed(before: Data, change: Data, options: Options): Data {
  const data = structuredClone(before) as Record<string, unknown>
  for (const [name, operand] of Object.entries(change)) {
    if (name.startsWith('$')) apply(data, name, operand, options)
    else write(data, [name], operand)
  }
  return data
}

function apply(data: Record<string, unknown>, name: string, operand: unknown, options: Options): void {
  const operator = Object.hasOwn(OPERATORS, name) ? OPERATORS[name] : undefined
  if (operator === undefined)
    throw new Failure(
      'InvalidArgumentsError',
      `There is no change "${name.slice(0, 40)}": use ${Object.keys(OPERATORS).join(', ')}.`,
    )
  if (!isRecord(operand)) throw new Failure('InvalidArgumentsError', `${name} needs an object of properties.`)
  for (const [path, value] of Object.entries(operand)) operator(data, segmentsOf(path), value, options)
}

function segmentsOf(path: string): string[] {
  const segments = path.split('.')
  if (segments.length <= 20 && segments.every((one) => one !== '' && !/^\$|^__proto__$/.test(one)))
    return segments
  throw new Failure('InvalidArgumentsError', `"${path.slice(0, 100)}" is no property that can be changed.`)
}

const itemsOf = (value: unknown): readonly unknown[] =>
  isRecord(value) && Array.isArray(value.$each) ? value.$each : [value]

function listAt(data: Data, path: readonly string[], operator: string): readonly unknown[] {
  const list = read(data, path) ?? []
  if (Array.isArray(list)) return list
  throw wrong(path, `${operator} needs a list`)
}

function read(data: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (value, key) =>
      typeof value === 'object' && value !== null && Object.hasOwn(value, key)
        ? Reflect.get(value, key)
        : undefined,
    data,
  )
}

function write(data: Record<string, unknown>, path: readonly string[], value: unknown): void {
  const [last = ''] = path.slice(-1)
  const at = path.slice(0, -1).reduce<object>(containerAt, data)
  if (Array.isArray(at) && !(/^\d{1,6}$/.test(last) && Number(last) <= at.length))
    throw wrong(path, 'a list has only items that follow one another')
  Reflect.set(at, last, value)
}

/** What is there, or an object in its place. */
function containerAt(at: object, key: string): object {
  const next: unknown = Object.hasOwn(at, key) ? Reflect.get(at, key) : undefined
  if (typeof next === 'object' && next !== null) return next
  const made = {}
  Reflect.set(at, key, made)
  return made
}

function remove(data: unknown, path: readonly string[]): void {
  const parent = read(data, path.slice(0, -1))
  const [last = ''] = path.slice(-1)
  if (isRecord(parent)) delete parent[last]
}

const wrong = (path: readonly string[], why: string) =>
  new Failure(
    'InvalidArgumentsError',
    `The property "${path.join('.').slice(0, 100)}" can’t be changed so: ${why}.`,
  )
