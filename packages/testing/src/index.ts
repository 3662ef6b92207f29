export { longestTurn } from './longest-turn.ts'
export { type Attack, expectOthersServed, longestWait } from './longest-wait.ts'
export { rounds, sample } from './nightly.ts'
export {
  type TestDatabase,
  templateDatabase,
  testDatabase,
  testDatabaseUrl,
  testServerUrl,
} from './postgres-server.ts'
export {
  type CallerOptions,
  startTestService,
  TEST_INTERNAL_KEY,
  type TestService,
  type TestServiceOptions,
  userPrincipal,
} from './test-service.ts'
export { promptly } from './to-be-prompt.ts'
