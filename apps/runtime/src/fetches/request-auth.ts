import { isRecord } from '@platform/kernel'
import { type Fields, invalid, isGiven, isMissing } from './given-fields.ts'

/** How a request shows who sends it. Its texts may refer to secrets, which are put in before it is signed. */
export type RequestAuth = BasicAuth | AwsSignature | ClientCredentials

export interface BasicAuth {
  readonly kind: 'basic'
  readonly user: string
  readonly password: string
}

/** Signature Version 4 of AWS. Service and region are read from the address where they are not given. */
export interface AwsSignature {
  readonly kind: 'awsv4'
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken?: string | undefined
  readonly service?: string | undefined
  readonly region?: string | undefined
}

/** The client credentials grant of OAuth 2.0 (RFC 6749, section 4.4). */
export interface ClientCredentials {
  readonly kind: 'oauth2'
  readonly tokenUrl: string
  readonly clientId: string
  readonly clientSecret: string
  readonly scope?: string | undefined
  readonly audience?: string | undefined
  /** Where the client shows its secret: in the header, as the standard wants it, unless it says `body`. */
  readonly sendsIn: 'header' | 'body'
}

/** What stands behind `Basic` in a header. */
export const basicCredentials = ({ user, password }: BasicAuth): string =>
  Buffer.from(`${user}:${password}`).toString('base64')

/** Throws InvalidInstructionError naming the field. Kinds without any field, as editors write them, are none. */
export function authOf(given: unknown): RequestAuth | undefined {
  if (isMissing(given)) return undefined
  if (!isRecord(given)) throw invalid('fetch.auth must be an object.')
  const kinds = Object.entries(readers).flatMap(([kind, read]) => {
    const fields = given[kind]
    if (isMissing(fields)) return []
    if (!isRecord(fields)) throw invalid(`fetch.auth.${kind} must be an object.`)
    return Object.values(fields).some(isGiven) ? [read(fields)] : []
  })
  if (kinds.length > 1) throw invalid('fetch.auth may have one of basic, awsv4 and oauth2.')
  return kinds[0]
}

const readers: Readonly<Record<string, (fields: Fields) => RequestAuth>> = {
  basic: (fields) => ({
    kind: 'basic',
    user: text(fields, 'basic', 'user') ?? text(fields, 'basic', 'username') ?? '',
    password: text(fields, 'basic', 'password') ?? '',
  }),
  awsv4: (fields) => ({
    kind: 'awsv4',
    accessKeyId: required(fields, 'awsv4', 'accessKeyId'),
    secretAccessKey: required(fields, 'awsv4', 'secretAccessKey'),
    sessionToken: text(fields, 'awsv4', 'sessionToken'),
    service: text(fields, 'awsv4', 'service'),
    region: text(fields, 'awsv4', 'region'),
  }),
  oauth2: (fields) => {
    const grant = text(fields, 'oauth2', 'grantType') ?? 'client_credentials'
    if (grant !== 'client_credentials')
      throw invalid('fetch.auth.oauth2.grantType must be client_credentials.')
    return {
      kind: 'oauth2',
      tokenUrl: required(fields, 'oauth2', 'tokenUrl'),
      clientId: required(fields, 'oauth2', 'clientId'),
      clientSecret: required(fields, 'oauth2', 'clientSecret'),
      scope: text(fields, 'oauth2', 'scope'),
      audience: text(fields, 'oauth2', 'audience'),
      sendsIn: text(fields, 'oauth2', 'sendsIn') === 'body' ? 'body' : 'header',
    }
  },
}

function required(fields: Fields, kind: string, name: string): string {
  const value = text(fields, kind, name)
  if (value !== undefined) return value
  throw invalid(`fetch.auth.${kind}.${name} is missing.`)
}

function text(fields: Fields, kind: string, name: string): string | undefined {
  const value = fields[name]
  if (!isGiven(value)) return undefined
  if (typeof value === 'string') return value
  throw invalid(`fetch.auth.${kind}.${name} must be a text.`)
}
