import type { Database } from '@platform/database'
import type { Broker } from '../src/broker.ts'

/**
 * What a driver's test file gives: a broker to use, another instance of the same cluster, and the database behind
 * both.
 */
export interface BrokerFixture {
  broker(): Broker
  otherInstance(): Broker
  database(): Database
}
