import type { Endpoint } from '@platform/contracts'

interface Source {
  file: string
  text: string
}

const LEAST_ENDPOINTS = 20
/** Answered by the chassis of every service, and tested there. */
const ofTheChassis = new Set(['getProcessSettings', 'getServiceReadiness'])

const kebab = (id: string) => id.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

const isEndpoint = (value: unknown): value is Endpoint =>
  typeof value === 'object' && value !== null && 'method' in value && 'path' in value && 'service' in value

/**
 * Every endpoint of the contracts has an operation, and a test beside it that is named as its id. The operation has a
 * file of that name too, or shares one with operations of the same noun. Answers sentences.
 */
export function endpointsWithoutProof(
  exported: readonly unknown[],
  sources: readonly Source[],
  least = LEAST_ENDPOINTS,
): string[] {
  const endpoints = exported.filter(isEndpoint)
  if (endpoints.length < least)
    return [`Only ${endpoints.length} endpoints were found: the check does not work.`]
  return endpoints.filter(({ id }) => !ofTheChassis.has(id)).flatMap((one) => problemsOf(one, sources))
}

function problemsOf({ id, service }: Endpoint, sources: readonly Source[]): string[] {
  const name = kebab(id)
  const operation =
    sources.find(({ file }) => isIn(file, service, `${name}.ts`)) ??
    sources.find(({ file, text }) => isIn(file, service, '') && isOperation(text, id))
  if (operation === undefined) return [`The endpoint ${id} has no file ${name}.ts in apps/${service}.`]
  const test = operation.file.replace(/[^/]+$/, `${name}.test.ts`)
  const isTested = sources.some(({ file, text }) => file === test && /\b(test|it)\b/.test(text))
  const isNamed = new RegExp(`\\b${id}\\b`).test(operation.text)
  return [
    ...(isTested ? [] : [`The endpoint ${id} has no test: write ${test}.`]),
    ...(isNamed ? [] : [`${operation.file} does not implement the contract ${id}.`]),
  ]
}

/** Where the operations of a service are: identity is a library that the gateway mounts. */
const isIn = (file: string, service: string, name: string): boolean =>
  (file.startsWith(`apps/${service}/src/`) ||
    (service === 'api-gateway' && file.startsWith('packages/identity/src/'))) &&
  (name === '' ? !file.endsWith('.test.ts') : file.endsWith(`/${name}`))

/** It takes the contract and makes a route of it. */
const isOperation = (text: string, id: string): boolean =>
  new RegExp(`import (type )?\\{[^}]*\\b${id}\\b[^}]*\\} from ['"]@platform/contracts['"]`).test(text) &&
  /\broute\(/.test(text)
