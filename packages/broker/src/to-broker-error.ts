import { StoreError } from '@platform/kernel'
import { BrokerError } from './broker-error.ts'

/** The error of a store below as an error of the broker. */
export function toBrokerError(error: unknown): BrokerError {
  if (error instanceof BrokerError) return error
  if (error instanceof StoreError) {
    return new BrokerError(error.message, { cause: error, unavailable: error.unavailable, code: error.code })
  }
  return new BrokerError('The broker could not do its work.', { cause: error, unavailable: false })
}
