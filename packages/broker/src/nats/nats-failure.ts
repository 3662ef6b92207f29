import { NatsError } from 'nats'
import { BrokerError } from '../broker-error.ts'

/** An error of the NATS client as an error of the broker, without what the server said in clear. */
export function toNatsFailure(error: unknown, address: string): BrokerError {
  if (error instanceof BrokerError) return error
  const code = error instanceof NatsError ? String(error.api_error?.err_code ?? error.code) : undefined
  if (code === 'MAX_PAYLOAD_EXCEEDED') {
    return new BrokerError(`A message is larger than the broker at ${address} takes.`, {
      cause: error,
      unavailable: false,
      code,
    })
  }
  const reason = code === undefined ? '' : ` (${code})`
  return new BrokerError(`The broker at ${address} can't do its work or did not answer in time${reason}.`, {
    ...{ cause: error, unavailable: true, code },
  })
}

/** True when the server said that there is no such stream, consumer or message. */
export const isNotFound = (error: unknown): boolean =>
  error instanceof NatsError && error.api_error?.code === 404
