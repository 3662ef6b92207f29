import { describeApi } from '@platform/openapi'
import { EncodedBody } from './encoded-body.ts'

/** The document of this installation. */
export type ApiDescription = () => EncodedBody

/** Made when it is asked for first, and once: starting does not wait for it. */
export function apiDescription({ origin }: { origin: string }): ApiDescription {
  let made: EncodedBody | undefined
  return () => {
    made ??= new EncodedBody(Buffer.from(JSON.stringify(describeApi({ origin }))))
    return made
  }
}
