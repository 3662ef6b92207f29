import type { Part } from '@platform/service'
import { deleteSecret, getSecrets, patchSecrets, putSecrets, type SecretDeps } from './secret-operations.ts'

/** Secrets of workspaces as people set them; automations have the module `secrets`. */
export const workspaceSecretsPart = (deps: SecretDeps): Part => ({
  routes: [getSecrets(deps), putSecrets(deps), patchSecrets(deps), deleteSecret(deps)],
})
