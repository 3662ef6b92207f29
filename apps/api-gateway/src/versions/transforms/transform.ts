import { type Endpoint, pathPattern } from '@platform/contracts'

/** What a transform may know of the response beside its body. */
export interface ResponseFacts {
  /** The query as the v2 handlers were given it. */
  readonly query: URLSearchParams
  /** The number of the next page, as the `Link` header of the response says; undefined on the last one. */
  readonly nextPage: string | undefined
}

/**
 * How one operation of v2 is spoken in another version, or was spoken before a date. Pure functions; all parts may be
 * missing.
 */
export interface Transform {
  readonly contract: Pick<Endpoint, 'method' | 'path'>
  /** The caller's query → the query of v2. Throws Failure for what can't be said in v2. */
  readonly query?: (query: URLSearchParams) => URLSearchParams
  /** The caller's JSON body → the body of v2. What has another shape than expected is passed on, for v2 to refuse. */
  readonly up?: (body: unknown) => unknown
  /** The JSON body of v2's success → the body the caller gets. */
  readonly down?: (body: unknown, facts: ResponseFacts) => unknown
}

/** Makes the transforms of an operation be found by method and canonical v2 path. */
export function transformFinder(transforms: readonly Transform[]) {
  const compiled = transforms.map((transform) => ({
    transform,
    method: transform.contract.method.toUpperCase(),
    pattern: pathPattern(transform.contract.path),
  }))
  return (method: string, path: string): Transform[] => {
    const asked = method === 'HEAD' ? 'GET' : method
    return compiled
      .filter((one) => one.method === asked && one.pattern.test(path))
      .map((one) => one.transform)
  }
}
