import { Failure } from '@platform/kernel'
import { type ApiVersion, successorOf } from './api-version.ts'

/** The answer for everything under a retired version (decisions B2). */
export function retired(entry: ApiVersion): Failure {
  const successor = successorOf(entry)
  return new Failure('RetiredVersion', `Version ${entry.name} was retired: use ${successor}.`, {
    details: {
      version: entry.name,
      retiredAt: entry.retiresAt,
      successor,
      migrationGuide: `Change the path prefix /${entry.name} to /${successor} and read the changes of ${successor} in its API description.`,
    },
  })
}

/** The answer for a version that never was. */
export const unknownVersion = (segment: string): Failure =>
  new Failure('UnknownVersion', `There is no version "${segment.slice(0, 20)}": the current one is v2.`)

/** The answer for a date whose behaviour can't be given (decisions B5). */
export const invalidApiVersion = (reason: string): Failure =>
  new Failure('InvalidApiVersion', `X-Platform-API-Version ${reason}.`)
