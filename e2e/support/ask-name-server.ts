// Loaded into processes of the platform before their own program: they ask the name server that NAME_SERVER tells, and
// not those of the system, which a test can't change.
import dns from 'node:dns/promises'
import { syncBuiltinESMExports } from 'node:module'

const { Resolver } = dns
dns.Resolver = class extends Resolver {
  constructor(options?: ConstructorParameters<typeof Resolver>[0]) {
    super(options)
    this.setServers([process.env.NAME_SERVER ?? ''])
  }
}
syncBuiltinESMExports()
