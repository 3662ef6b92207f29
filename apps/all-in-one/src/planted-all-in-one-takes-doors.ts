export { runtimeEnv } from '../../runtime/src/config.ts'
