import { StoreError } from '@platform/kernel'

/** What every broker driver throws. */
export class BrokerError extends StoreError {
  override readonly name = 'BrokerError'
}
