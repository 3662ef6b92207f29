export { freePorts } from './free-port.ts'
export { processTree } from './process-tree.ts'
export { signIn } from './sign-in.ts'
export { type PlatformProcess, repositoryRoot, spawnPlatform } from './spawn.ts'
export {
  ADMIN,
  type ExternalStores,
  type Platform,
  platformSecrets,
  startAllInOne,
  startSeparate,
} from './start-platform.ts'
