export { FaultProxy } from './fault-proxy.ts'
export { freePorts, freshDirectory, processTree } from './machine.ts'
export { signIn } from './sign-in.ts'
export { type PlatformProcess, repositoryRoot, spawnPlatform } from './spawn.ts'
export {
  ADMIN,
  ALL_IN_ONE_SOURCE,
  BUNDLES_ARE_BUILT,
  deployedPlatform,
  type Platform,
  platformOf,
  platformSecrets,
  startAllInOne,
} from './start-platform.ts'
export { type ExternalStores, type SeparateOptions, startSeparate } from './start-separate.ts'
