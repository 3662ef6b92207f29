export { familiesOf, family, membersOf } from './families.ts'
export {
  count,
  days,
  flag,
  httpUrl,
  list,
  milliseconds,
  opsCommand,
  optionalHttpUrl,
  optionalPort,
  pagesHost,
  port,
  positiveCount,
  seconds,
  secret,
} from './fields.ts'
export { isOwnMachine, nodeEnv } from './own-machine.ts'
export { type ProxySettings, proxySettings, proxyVariables } from './proxies.ts'
export { ConfigError, type Env, readConfig } from './read-config.ts'
export {
  inSecret,
  passwordOf,
  type ResolvedSecrets,
  resolveSecrets,
  secretNotes,
  secretOf,
} from './secrets.ts'
export { storeVariables } from './stores.ts'
