import { createHash } from 'node:crypto'
import {
  type DeclaredFunction,
  type FunctionDefinition,
  type FunctionInput,
  functionLanguageOf,
} from '@platform/contracts'
import { type RouteResponse, respond } from '@platform/http'
import { Failure } from '@platform/kernel'

/** A function as it is stored. */
export interface FunctionRecord {
  readonly definition: FunctionDefinition
  readonly checksum: string
  readonly createdAt: Date
  readonly updatedAt: Date
  readonly createdBy: string
  readonly updatedBy: string
}

/** What is declared, in its one spelling: what says nothing is left out. */
export function definitionOf({ name, language, code, ...rest }: FunctionInput): FunctionDefinition {
  const said = Object.entries(rest).filter(([, value]) => value !== undefined && value !== null)
  return { name, language: functionLanguageOf(language), code, ...Object.fromEntries(said) }
}

/** A record of a function that was just declared. */
export const recordOf = (
  definition: FunctionDefinition,
  by: string,
  now: Date,
  before?: FunctionRecord,
): FunctionRecord => ({
  definition,
  checksum: checksumOf(definition),
  createdAt: before?.createdAt ?? now,
  createdBy: before?.createdBy ?? by,
  updatedAt: now,
  updatedBy: by,
})

/** SHA-256 of the canonical JSON: the fields in alphabetical order, what is inside as written. */
export const checksumOf = (definition: FunctionDefinition): string =>
  hashOf(['function', Object.entries(definition).sort(([a], [b]) => (a < b ? -1 : 1))])

const hashOf = (value: unknown): string => createHash('sha256').update(JSON.stringify(value)).digest('hex')

/** The function as callers see it. */
const presentFunction = ({
  definition,
  createdAt,
  updatedAt,
  ...rest
}: FunctionRecord): DeclaredFunction => ({
  ...definition,
  ...rest,
  createdAt: createdAt.toISOString(),
  updatedAt: updatedAt.toISOString(),
})

/** The same without its code. */
export const presentListed = (record: FunctionRecord): Omit<DeclaredFunction, 'code'> => {
  const { code: _, ...listed } = presentFunction(record)
  return listed
}

/** The state of a function; who saved it when is part of it. */
export const functionEtag = ({ checksum, updatedAt, updatedBy }: FunctionRecord): string =>
  `"${hashOf([checksum, updatedAt.getTime(), updatedBy]).slice(0, 32)}"`

/** The response that shows a function, with its state as ETag. */
export const functionResponse = (record: FunctionRecord): RouteResponse =>
  respond(presentFunction(record), { headers: { etag: functionEtag(record) } })

/** Room for the type, the name and the frame of an event around the declaration. */
const FRAME_LENGTH = 500

/** The declaration as its events carry it; one that would not fit is only named (`truncated`). */
export function announcedFunction(definition: FunctionDefinition, maxLength: number) {
  const size = JSON.stringify(definition).length
  if (size + FRAME_LENGTH <= maxLength) return definition
  return { name: definition.name, truncated: true, size }
}

/** 404 to members of the workspace; others never get this far. */
export const functionNotFound = (name: string): Failure =>
  new Failure('ObjectNotFoundError', `There is no function "${name.slice(0, 100)}" in this workspace.`)
