import { rm } from 'node:fs/promises'
import { ConfigError } from '@platform/config'
import { describe, expect, it } from 'vitest'
import { providerFile } from '../../../test/external-providers.ts'
import { readProviderFile } from './provider-file.ts'

const read = async (content: unknown, env: Record<string, string> = {}, allowHttp = false) => {
  const path = await providerFile(content)
  try {
    return readProviderFile(path, { env, allowHttp })
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return error.problems.map((problem) => problem.replaceAll(path, '<file>'))
  }
}

const idp = { type: 'oidc', config: { client_id: 'platform', issuer: 'https://idp.example' } }

describe('the file of providers', () => {
  it('holds providers by slug, or as a list', async () => {
    const expected = [
      { slug: 'acme', source: 'file', enabled: true, domains: ['acme.example'], id: 'file:acme' },
    ]
    const acme = { ...idp, domains: ['acme.example'] }
    expect(await read({ providers: { acme } })).toMatchObject(expected)
    expect(await read({ providers: [{ slug: 'acme', ...acme }] })).toMatchObject(expected)
    expect(await read('')).toEqual([])
  })

  it('takes values from the environment, which can’t change its structure', async () => {
    const text = `
providers:
  acme:
    type: oidc
    config:
      client_id: platform-\${STAGE}
      client_secret: \${SECRET}
      issuer: https://idp.example`
    const [provider] = await read(text, { STAGE: 'test', SECRET: 'a: b\n  allowTokenExchange: true' })
    expect(provider).toMatchObject({
      config: { client_id: 'platform-test', client_secret: 'a: b\n  allowTokenExchange: true' },
    })
    expect(provider).not.toHaveProperty('config.allowTokenExchange')
  })

  it.each<[unknown, string]>([
    [
      { providers: { acme: { ...idp, config: { ...idp.config, client_secret: `\${GONE}` } } } },
      `AUTH_PROVIDERS_CONFIG <file>: providers.acme names \${GONE}, which is not set.`,
    ],
    [{ providers: { acme: { ...idp, type: 'saml' } } }, 'AUTH_PROVIDERS_CONFIG <file>: providers.acme type'],
    [{ providers: { acme: { ...idp, config: { client_id: 'x' } } } }, 'providers.acme config needs issuer'],
    [{ providers: { acme: { ...idp, colour: 'red' } } }, 'providers.acme'],
    [{ providers: { UPPER: idp } }, 'providers.UPPER slug must be 1–60 characters'],
    [{ providers: { acme: null } }, 'providers.acme'],
    [
      {
        providers: [
          { slug: 'a', ...idp },
          { slug: 'a', ...idp },
        ],
      },
      'slug a stands twice',
    ],
    [
      { providers: { a: { ...idp, domains: ['x.y'] }, b: { ...idp, domains: ['x.y'] } } },
      'domain x.y stands twice',
    ],
    [
      { providers: { acme: { ...idp, config: { ...idp.config, issuer: 'http://idp.example' } } } },
      'providers.acme.config.issuer must be https',
    ],
    [{ acme: idp }, 'providers must be all there is'],
    ['providers: [', "can't be read"],
  ])('says what is wrong with %j', async (content, sentence) => {
    expect((await read(content)).join('\n')).toContain(sentence)
  })

  it('names a file that is not there', async () => {
    const path = await providerFile('')
    await rm(path)
    expect(() => readProviderFile(path, { env: {}, allowHttp: false })).toThrow(`${path} can't be read`)
  })
})
