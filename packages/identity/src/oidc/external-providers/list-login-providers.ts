import { listLoginProviders as endpoint } from '@platform/contracts'
import { route } from '@platform/http'
import type { Providers } from './providers.ts'

export const listLoginProviders = (deps: {
  providers: Pick<Providers, 'ofPlatform'>
  localSignin: boolean
  localSignup: boolean
}) =>
  route(endpoint, {
    async handle() {
      const offered = deps.providers.ofPlatform.filter(({ enabled }) => enabled)
      const providers = offered.map(({ slug, type, name, icon, meta }) => ({
        slug,
        type,
        ...(name === undefined ? {} : { name }),
        ...(icon === undefined ? {} : { icon }),
        meta,
      }))
      return { localSignin: deps.localSignin, localSignup: deps.localSignup, providers }
    },
  })
