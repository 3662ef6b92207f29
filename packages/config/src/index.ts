export {
  count,
  days,
  flag,
  httpUrl,
  list,
  milliseconds,
  optionalHttpUrl,
  optionalPort,
  port,
  seconds,
  secret,
} from './fields.ts'
export { ConfigError, type Env, readConfig } from './read-config.ts'
