export {
  type MasterKey,
  type MasterKeyRing,
  masterKeyIdOf,
  masterKeyRing,
  masterKeysField,
} from './master-keys.ts'
