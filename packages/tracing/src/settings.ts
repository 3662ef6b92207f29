/** Where traces go and which of them. */
export interface TracingSettings {
  /** OTLP/HTTP base address, `/v1/traces` is added; nothing is traced without it. */
  endpoint: string | undefined
  /** `name=value` pairs sent with each batch, for example a credential of the receiver; values percent-encoded. */
  headers?: string | undefined
  serviceName: string
  version: string
  /** `always_on`, `always_off`, `traceidratio`, each also with `parentbased_` in front. */
  sampler: string
  /** The share of traces of a ratio, 0 to 1. */
  samplerArg: number
  /** `name=value` pairs about this process, percent-encoded. */
  resourceAttributes?: string | undefined
  /** How long one batch may take to be sent, with all its tries. Default 5,000. */
  sendMs?: number | undefined
  /** Told what goes wrong with sending, at most once a minute. */
  warn: (fields: object, message: string) => void
}

/** `a=1,b=two%20words` → an object; what is no pair is left out. */
export function readPairs(text = ''): Record<string, string> {
  const pairs: Record<string, string> = {}
  for (const part of text.split(',')) {
    const equals = part.indexOf('=')
    if (equals > 0) pairs[part.slice(0, equals).trim()] = decode(part.slice(equals + 1).trim())
  }
  return pairs
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
