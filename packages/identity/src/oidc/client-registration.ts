import { randomBase62 } from '@platform/kernel'
import type { Configuration, KoaContextWithOIDC } from 'oidc-provider'
import { clientRights } from './client-rights.ts'
import type { OidcSettings } from './oidc-settings.ts'
import { registeredMetadata } from './registered-metadata.ts'

type Features = NonNullable<Configuration['features']>
type ExtraMetadata = NonNullable<Configuration['extraClientMetadata']>

const ID_LENGTH = 22
const SECRET_LENGTH = 43

/** Dynamic registration (RFC 7591, 7592) for who has the token of the environment; off without one. */
export const registrationFeatures = ({
  registrationToken,
}: Pick<OidcSettings, 'registrationToken'>): Pick<Features, 'registration' | 'registrationManagement'> =>
  registrationToken === undefined
    ? {}
    : {
        registration: {
          enabled: true,
          initialAccessToken: registrationToken,
          idFactory: () => randomBase62(ID_LENGTH),
          secretFactory: () => randomBase62(SECRET_LENGTH),
        },
        // A client whose change was made but not answered must be able to ask again.
        registrationManagement: { enabled: true, rotateRegistrationAccessToken: false },
      }

/**
 * The metadata of this platform. It is also where a registration is checked: who asks has been let in by then, and
 * nothing is kept yet. Clients read back, or named by the environment, come without a request and were checked
 * before.
 */
export const extraClientMetadata = ({ apiUrl }: Pick<OidcSettings, 'apiUrl'>): ExtraMetadata => ({
  properties: [...clientRights],
  validator(ctx, name, _value, metadata) {
    if (name !== clientRights[0] || ctx === undefined) return
    const { oidc } = ctx as KoaContextWithOIDC
    const isChange = oidc.route === 'client_update'
    if (!isChange && oidc.route !== 'registration') return
    Object.assign(metadata, registeredMetadata(oidc.body, { apiUrl, isChange }))
  },
})
