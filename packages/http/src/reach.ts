import { request } from 'undici'

/** Resolves when an address answers below 500; for readiness checks. Rejects with a sentence. */
export async function reach(
  url: string,
  signal: AbortSignal,
  headers: Record<string, string> = {},
): Promise<void> {
  const response = await request(url, { signal, headers }).catch((cause: unknown) => {
    throw new UnreachableError(`Nothing answers at ${new URL(url).origin}.`, { cause })
  })
  await response.body.dump()
  if (response.statusCode >= 500)
    throw new UnreachableError(`${new URL(url).origin} answered ${response.statusCode}.`)
}

/** An HTTP address that does not answer as it should. */
export class UnreachableError extends Error {
  override readonly name = 'UnreachableError'
}
