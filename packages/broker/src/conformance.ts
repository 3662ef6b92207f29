export { announcementsConformance } from './announcements/conformance.ts'
export type { BrokerFixture } from './broker-fixture.ts'
export { deadLettersConformance } from './dead-letters/conformance.ts'
export { queueConformance } from './queue/conformance.ts'
