export { type ChangeDeps, changeSigningKeys } from './change-signing-keys.ts'
export { keyEnvProblem, keyPolicyOf, keyVariables } from './key-env.ts'
export { keyOpener } from './key-opener.ts'
export { KeyRing, type Signer, type Verifier } from './key-ring.ts'
export { resealSigningKeys } from './reseal-signing-keys.ts'
export { LOOK_MS, rotate, rotateSigningKeys } from './rotate-signing-keys.ts'
export { sealedKeys } from './sealed-keys.ts'
export {
  dueTime,
  generateSigningKey,
  type KeyPlace,
  type KeyPolicy,
  type PrivateJwk,
  type RingKey,
  type SigningKeyTimes,
  signerWithout,
} from './signing-key.ts'
export { type SigningKeyStore, signingKeyStore } from './signing-key-store.ts'
export { reloadOn, replaceDeletedSigner } from './watch-signing-keys.ts'
