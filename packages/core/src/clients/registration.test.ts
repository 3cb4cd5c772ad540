import { clientId, epochSeconds, userId } from '@mintmark/storage-interface'
import { createMemoryStorage } from '@mintmark/storage-interface/memory'
import { describe, expect, it } from 'vitest'

import { endpointPaths } from './own-endpoints.ts'
import { clientMetadata } from './metadata.ts'
import { registerClient } from './registration.ts'
import { updateClient } from './update.ts'

it('refuses a client_id that is the identifier of a user (RFC 9700 §4.15)', async () => {
  const storage = createMemoryStorage({ issuer: 'https://as.test' })
  await storage.users.insert({ userId: userId('user-1'), claims: {}, createdAt: epochSeconds(1) })

  const registering = registerClient(
    { clientId: 'user-1', clientName: 'Look-alike', redirectUris: ['https://app.test/cb'] },
    { storage },
  )

  await expect(registering).rejects.toMatchObject({ code: 'invalid_client_metadata' })
  expect(await storage.clients.find(clientId('user-1'))).toBeUndefined()
})

it('has a metadata rule for each member of the record that an administrator can set (RFC 7591 §2)', async () => {
  const storage = createMemoryStorage({ issuer: 'https://as.test' })
  const serverMembers = [
    'agent',
    'clientId',
    'secrets',
    'origin',
    'selfManagement',
    'documentDigest',
    'documentReadAt',
    'disabledAt',
    'createdAt',
    'version',
  ]

  await registerClient({ clientId: 'app', clientName: 'App', redirectUris: ['https://app.test/cb'] }, { storage })

  const members = Object.entries((await storage.clients.find(clientId('app'))) ?? {})
  const set = members.filter(([name]) => !serverMembers.includes(name))
  expect(Object.keys(clientMetadata).toSorted()).toEqual(set.map(([name]) => name).toSorted())
  for (const [name, value] of set) expect([name, clearable.includes(name)]).toEqual([name, value === undefined])
})

const clearable = Object.entries(clientMetadata).flatMap(([name, rule]) =>
  'presence' in rule && rule.presence === 'clearable' ? [name] : [],
)

it('completes a registration with the defaults of the metadata rules', async () => {
  const storage = createMemoryStorage({ issuer: 'https://as.test' })

  const { client } = await registerClient({ clientName: 'App', redirectUris: ['https://app.test/cb'] }, { storage })

  expect(client).toMatchObject({
    tokenEndpointAuthMethod: 'client_secret',
    grantTypes: ['authorization_code'],
    scopes: ['openid'],
    servedAudiences: [],
    idTokenSignedResponseAlg: 'RS256',
    requireAuthTime: false,
    jwks: undefined,
    defaultMaxAge: undefined,
  })
})

it.each([
  ['a post-logout redirect URI with https', { postLogoutRedirectUris: ['https://app.test/bye?tab=1'] }],
  ['a post-logout redirect URI on loopback', { postLogoutRedirectUris: ['http://127.0.0.1:3000/bye'] }],
  ['a post-logout redirect URI of a native app', { postLogoutRedirectUris: ['com.example.app:/bye'] }],
  ['a back-channel logout URI with a public host', { backchannelLogoutUri: 'https://app.test/logout?tenant=1' }],
  [
    'a front-channel logout URI with the origin of a redirect URI',
    { frontchannelLogoutUri: 'https://app.test/frame?tenant=1' },
  ],
  ['a front-channel logout URI on loopback', { frontchannelLogoutUri: 'http://localhost:3000/frame' }],
  ['a logo', { logoUri: 'https://cdn.app.test/logo.png' }],
  ['a login initiation URI', { initiateLoginUri: 'https://start.app.test:8443/login?tenant=1' }],
])(
  'registers a client with %s (RP-Initiated Logout §3.1, Back-Channel Logout §2.2, Front-Channel Logout §2, RFC 7591 §2)',
  async (_what, given) => {
    const storage = createMemoryStorage({ issuer: 'https://as.test' })

    const { client } = await registerClient({ ...app, ...given }, { storage })

    expect(await storage.clients.find(client.clientId)).toMatchObject(given)
  },
)

it.each([
  ['a post-logout redirect URI with a fragment', { postLogoutRedirectUris: ['https://app.test/#bye'] }],
  ['a post-logout redirect URI without TLS', { postLogoutRedirectUris: ['http://app.test/bye'] }],
  ['a post-logout redirect URI that runs a script', { postLogoutRedirectUris: ['javascript:alert(1)'] }],
  ['a post-logout redirect URI with a state', { postLogoutRedirectUris: ['https://app.test/?state=1'] }],
  ['a post-logout redirect URI with a wildcard', { postLogoutRedirectUris: ['https://app.test/*'] }],
  ['a back-channel logout URI without TLS', { backchannelLogoutUri: 'http://app.test/logout' }],
  ['a back-channel logout URI with a fragment', { backchannelLogoutUri: 'https://app.test/logout#x' }],
  ['a back-channel logout URI whose host is an IP address', { backchannelLogoutUri: 'https://10.0.0.1/logout' }],
  ['a back-channel logout URI in the local network', { backchannelLogoutUri: 'https://app.internal/logout' }],
  ['a back-channel logout URI of the local machine', { backchannelLogoutUri: 'https://localhost/logout' }],
  ['a front-channel logout URI with another host', { frontchannelLogoutUri: 'https://evil.test/frame' }],
  ['a front-channel logout URI with another port', { frontchannelLogoutUri: 'https://app.test:8443/frame' }],
  ['a front-channel logout URI with another scheme', { frontchannelLogoutUri: 'http://app.test/frame' }],
  ['a front-channel logout URI with a fragment', { frontchannelLogoutUri: 'https://app.test/frame#x' }],
  ['a front-channel logout URI of a native app', { frontchannelLogoutUri: 'com.example.app:/frame' }],
  ['a front-channel logout URI with markup', { frontchannelLogoutUri: 'https://app.test/"><script>' }],
  ['a login initiation URI without TLS', { initiateLoginUri: 'http://app.test/login' }],
  ['a login initiation URI with a fragment', { initiateLoginUri: 'https://app.test/login#x' }],
  ['a login initiation URI with a user name', { initiateLoginUri: 'https://bank.test@app.test/login' }],
  ['a login initiation URI that runs a script', { initiateLoginUri: 'javascript:alert(1)' }],
])(
  'refuses a client with %s (RP-Initiated Logout §3.1, Back-Channel Logout §2.2, Front-Channel Logout §2, OIDC Registration §2)',
  async (_what, given) => {
    const storage = createMemoryStorage({ issuer: 'https://as.test' })

    const registering = registerClient({ ...app, ...given }, { storage })

    await expect(registering).rejects.toMatchObject({ code: 'invalid_client_metadata' })
    expect(await storage.clients.find(clientId('app'))).toBeUndefined()
  },
)

it.each(['My\u200BBank', 'My \u202EknaB', 'My\u2066Bank', 'My\nBank', '\u{E0001}Bank'])(
  'refuses a client name with invisible characters or another writing direction, at registration and in an update: %j (RFC 7591 §5)',
  async (clientName) => {
    const storage = createMemoryStorage({ issuer: 'https://as.test' })
    await expect(registerClient({ ...app, clientName }, { storage })).rejects.toThrow('client_name must be one line')
    expect(await storage.clients.find(clientId('app'))).toBeUndefined()

    await registerClient(app, { storage })
    await expect(updateClient({ clientId: clientId('app') }, { clientName }, { storage })).rejects.toThrow(
      'client_name must be one line',
    )
    expect(await storage.clients.find(clientId('app'))).toMatchObject({ clientName: app.clientName })
  },
)

it.each(['Ma\u200Dil', 'خانه\u200Cها', '👩\u200D💻 Tools'])(
  'accepts joiners in a client name: %j',
  async (clientName) => {
    const storage = createMemoryStorage({ issuer: 'https://as.test' })
    await expect(registerClient({ ...app, clientName }, { storage })).resolves.toBeDefined()
  },
)

it('refuses a client_id that is the URL of a metadata document (Client ID Metadata Document §3)', async () => {
  const storage = createMemoryStorage({ issuer: 'https://as.test' })
  const registering = registerClient({ ...app, clientId: 'https://app.test/client.json' }, { storage })

  await expect(registering).rejects.toMatchObject({ code: 'invalid_client_metadata' })
  expect(await storage.clients.list({ after: undefined, limit: 1 })).toEqual([])
})

it.each(['http://app.test/jwks', 'https://10.0.0.1/jwks', 'https://app.test:8443/jwks', 'https://localhost/jwks'])(
  'refuses the jwks_uri %s, which no server would fetch (RFC 7591 §5)',
  async (jwksUri) => {
    const storage = createMemoryStorage({ issuer: 'https://as.test' })
    const given = { ...app, tokenEndpointAuthMethod: 'private_key_jwt', jwksUri } as const

    await expect(registerClient(given, { storage })).rejects.toMatchObject({
      code: 'invalid_client_metadata',
      description: 'jwks_uri must use https, a host name and the default port.',
    })
    expect(await storage.clients.find(clientId('app'))).toBeUndefined()
  },
)

it('registers encryption with keys at jwks_uri, which are read only when a response is encrypted (OIDC Core §10.2)', async () => {
  const storage = createMemoryStorage({ issuer: 'https://as.test' })
  const given = { jwksUri: 'https://app.test/jwks', idTokenEncryptedResponseAlg: 'ECDH-ES' } as const

  await registerClient({ ...app, ...given }, { storage })

  expect(await storage.clients.find(clientId('app'))).toMatchObject(given)
})

it('refuses a client without a name', async () => {
  const storage = createMemoryStorage({ issuer: 'https://as.test' })
  const { clientName: _, ...nameless } = app

  await expect(registerClient(nameless as typeof app, { storage })).rejects.toMatchObject({
    description: 'clientName is missing. It must be a string.',
  })
})

it('registers encrypted UserInfo responses only if they are signed too (OIDC Core §5.3.2)', async () => {
  const storage = createMemoryStorage({ issuer: 'https://as.test' })
  const given = { ...app, jwksUri: 'https://app.test/jwks', userinfoEncryptedResponseAlg: 'ECDH-ES' } as const

  await expect(registerClient(given, { storage })).rejects.toMatchObject({ code: 'invalid_client_metadata' })
  await registerClient({ ...given, userinfoSignedResponseAlg: 'ES256' }, { storage })

  expect(await storage.clients.find(clientId('app'))).toMatchObject({ userinfoEncryptedResponseAlg: 'ECDH-ES' })
})

it.each(['https://rp.test:8443/logout', 'http://127.0.0.1:4000/logout'])(
  'registers the back-channel logout URI %s only if outgoing requests to its origin are allowed',
  async (backchannelLogoutUri) => {
    const storage = createMemoryStorage({ issuer: 'https://as.test' })
    const dangerouslyAllowOutbound = [new URL(backchannelLogoutUri).origin]
    const update = (deps: { readonly dangerouslyAllowOutbound?: readonly string[] }) =>
      updateClient({ clientId: 'app' }, { backchannelLogoutUri }, { storage, ...deps })

    await expect(registerClient({ ...app, backchannelLogoutUri }, { storage })).rejects.toMatchObject({
      code: 'invalid_client_metadata',
    })
    await registerClient({ ...app, backchannelLogoutUri }, { storage, dangerouslyAllowOutbound })
    await expect(update({ dangerouslyAllowOutbound: ['https://rp.test'] })).rejects.toMatchObject({
      code: 'invalid_client_metadata',
    })
    expect(await update({ dangerouslyAllowOutbound })).toMatchObject({ outcome: 'updated' })
  },
)

const app = {
  clientId: 'app',
  clientName: 'App',
  redirectUris: ['https://app.test/cb', 'http://localhost:3000/cb', 'com.example.app:/cb'],
}

it.each([
  ['an algorithm for request objects but no keys', { requestObjectSigningAlg: 'ES256' }],
  ['an algorithm for backchannel requests but no keys', { backchannelAuthenticationRequestSigningAlg: 'ES256' }],
  ['the mode ping without an address', { backchannelTokenDeliveryMode: 'ping' }],
  [
    'a notification address without TLS',
    { backchannelTokenDeliveryMode: 'ping', backchannelClientNotificationEndpoint: 'http://app.test/ping' },
  ],
  [
    'backchannel requests without credentials',
    { tokenEndpointAuthMethod: 'none', grantTypes: ['authorization_code', 'urn:openid:params:grant-type:ciba'] },
  ],
  ['signed requests but no keys', { requireSignedRequestObject: true }],
  ['both jwks and jwks_uri', { jwks: { keys: [] }, jwksUri: 'https://app.test/jwks' }],
  ['private keys', { jwks: { keys: [{ kty: 'EC', d: 'x' }] } }],
  ['a private ML-DSA key', { jwks: { keys: [{ kty: 'AKP', alg: 'ML-DSA-44', pub: 'x', priv: 'x' }] } }],
  ['the primes of an RSA key', { jwks: { keys: [{ kty: 'RSA', n: 'x', e: 'AQAB', p: 'x', q: 'x' }] } }],
  ['a page that is not a URL', { clientUri: 'app.test' }],
  ['a page without https', { policyUri: 'http://app.test/privacy' }],
  ['a page whose URL contains credentials', { tosUri: 'https://user@app.test/terms' }],
  ['a logo that is not a URL', { logoUri: 'logo.png' }],
] as const)('refuses a client with %s (RFC 9101 §10.5, RFC 7591 §2)', async (_, change) => {
  const storage = createMemoryStorage({ issuer: 'https://as.test' })
  const app = { clientId: 'app', clientName: 'App', redirectUris: ['https://app.test/cb'] }

  await expect(registerClient({ ...app, ...change }, { storage })).rejects.toMatchObject({
    code: 'invalid_client_metadata',
  })
  expect(await storage.clients.find(clientId('app'))).toBeUndefined()
})

it.each([
  ['tls_client_auth but no certificate name', { tokenEndpointAuthMethod: 'tls_client_auth' }],
  [
    'tls_client_auth and two certificate names',
    { tokenEndpointAuthMethod: 'tls_client_auth', tlsClientAuthSanDns: 'a.test', tlsClientAuthSanIp: '192.0.2.1' },
  ],
  [
    'a wildcard in its certificate name',
    { tokenEndpointAuthMethod: 'tls_client_auth', tlsClientAuthSanDns: '*.app.test' },
  ],
  ['a malformed certificate subject', { tokenEndpointAuthMethod: 'tls_client_auth', tlsClientAuthSubjectDn: 'client' }],
  ['a malformed IP address', { tokenEndpointAuthMethod: 'tls_client_auth', tlsClientAuthSanIp: '192.0.2' }],
  ['a certificate name for another method', { tlsClientAuthSanDns: 'client.app.test' }],
  ['self_signed_tls_client_auth but no keys', { tokenEndpointAuthMethod: 'self_signed_tls_client_auth' }],
  [
    'self_signed_tls_client_auth and keys without certificates',
    { tokenEndpointAuthMethod: 'self_signed_tls_client_auth', jwks: { keys: [{ kty: 'EC', x5c: ['AAAA'] }] } },
  ],
  [
    'tokens bound both to a DPoP key and to a certificate',
    { dpopBoundAccessTokens: true, tlsClientCertificateBoundAccessTokens: true },
  ],
] as const)('refuses a client with %s (RFC 8705 §2.1.2, §2.2.2)', async (_, change) => {
  const storage = createMemoryStorage({ issuer: 'https://as.test' })

  await expect(registerClient({ ...app, ...change }, { storage })).rejects.toMatchObject({
    code: 'invalid_client_metadata',
  })
  expect(await storage.clients.find(clientId('app'))).toBeUndefined()
})

it('registers a FAPI 2.0 client whose tokens are bound to its certificate (FAPI 2.0 SP §5.3.2.1)', async () => {
  const storage = createMemoryStorage({ issuer: 'https://as.test' })

  const { client } = await registerClient(
    {
      ...app,
      profile: 'fapi2',
      tokenEndpointAuthMethod: 'tls_client_auth',
      tlsClientAuthSubjectDn: 'CN=client,O=Example,C=SE',
      tlsClientCertificateBoundAccessTokens: true,
    },
    { storage },
  )

  expect(await storage.clients.find(clientId('app'))).toEqual(client)
})

describe('the default algorithm of ID tokens of a client with a profile (OIDC Registration §2)', () => {
  const bound = {
    tokenEndpointAuthMethod: 'private_key_jwt',
    jwksUri: 'https://app.test/jwks',
    dpopBoundAccessTokens: true,
  } as const
  const rules = { scopes: ['openid'], resources: [], ownAuthenticationMethods: [] }
  const register = async (registration: object, server: object) => {
    const storage = createMemoryStorage({ issuer: 'https://as.test' })
    const registering = registerClient({ ...app, ...bound, ...registration }, { storage, ...server })
    return { registering, find: () => storage.clients.find(clientId('app')) }
  }

  it.each([
    ['mcp', ['RS256', 'ES256'], 'standard', 'ES256'],
    ['mcp', ['RS256'], 'standard', 'RS256'],
    ['mcp', ['RS256', 'PS256'], 'fapi2', 'PS256'],
    ['fapi2', ['RS256', 'EdDSA'], 'standard', 'EdDSA'],
    ['fapi2_message_signing', ['PS256'], 'standard', 'PS256'],
  ] as const)(
    '%s on a server with %j and the minimum profile %s is %s',
    async (profile, algorithms, minimumProfile, expected) => {
      const server = { keys: { algorithms }, clientRules: { ...rules, minimumProfile } }
      const { registering, find } = await register({ profile }, server)

      expect((await registering).client.idTokenSignedResponseAlg).toBe(expected)
      expect((await find())?.idTokenSignedResponseAlg).toBe(expected)
    },
  )

  it('is refused with the registration if the server signs with none that the profile permits (RFC 7591 §3.2.2)', async () => {
    const { registering, find } = await register({ profile: 'fapi2' }, { keys: { algorithms: ['RS256'] } })

    await expect(registering).rejects.toMatchObject({
      code: 'invalid_client_metadata',
      description: 'The server does not sign with an algorithm of the client. Use an algorithm that discovery lists.',
    })
    expect(await find()).toBeUndefined()
  })
})

describe('a client that the server would refuse', () => {
  const rules = {
    scopes: ['openid', 'notes.read'],
    resources: ['https://api.test'],
    minimumProfile: 'standard',
    ownAuthenticationMethods: [],
  } as const
  const app = { clientName: 'App', redirectUris: ['https://app.test/cb'] }

  it('is not registered, and the error lists all reasons (RFC 7591 §3.2.2)', async () => {
    const storage = createMemoryStorage({ issuer: 'https://as.test' })
    const clientRules = { ...rules, minimumProfile: 'fapi2' } as const

    const registering = registerClient(
      { ...app, scopes: ['openid', 'notes.raed'], resources: ['https://other.test'] },
      { storage, clientRules },
    )

    await expect(registering).rejects.toMatchObject({ code: 'invalid_client_metadata' })
    for (const reason of ['notes.raed', 'https://other.test', 'token_endpoint_auth_method', 'dpop_bound_access_tokens'])
      await expect(registering).rejects.toThrow(reason)
    expect(await storage.clients.list({ after: undefined, limit: 1 })).toEqual([])
  })

  it('cannot result from a change of any member, but scope values are checked only when the change sets them', async () => {
    const storage = createMemoryStorage({ issuer: 'https://as.test' })
    const { client } = await registerClient({ ...app, scopes: ['old'] }, { storage })
    const change = (metadata: object, clientRules: object = rules) =>
      updateClient({ clientId: client.clientId }, metadata, { storage, clientRules: { ...rules, ...clientRules } })

    await expect(change({ scopes: ['old'] })).rejects.toThrow('the server has no scope value old')
    await expect(change({ resources: ['https://other.test'] })).rejects.toThrow(
      'the server has no resource https://other.test',
    )
    await expect(change({ clientName: 'New' }, { minimumProfile: 'fapi2' })).rejects.toThrow('minimum profile')
    expect(await change({ clientName: 'New' })).toMatchObject({ outcome: 'updated', client: { clientName: 'New' } })
    expect(await change({ scopes: ['openid'] })).toMatchObject({ outcome: 'updated' })
  })
})

describe('redirect URIs with a scheme without a dot', () => {
  const app = { clientId: 'editor', clientName: 'Editor', tokenEndpointAuthMethod: 'none' } as const
  const allowSchemesWithoutDot = true

  it.each(['vscode://vendor.extension/cb', 'cursor:/cb', 'msauth.example://auth', 'exp+app://x', 'myapp:/cb'])(
    'registers %s if an administrator allows it, and later changes accept it (RFC 8252 §7.1)',
    async (uri) => {
      const storage = createMemoryStorage({ issuer: 'https://as.test' })
      const addresses = { redirectUris: [uri], postLogoutRedirectUris: [uri] }

      await registerClient({ ...app, ...addresses, allowSchemesWithoutDot }, { storage })
      await updateClient({ clientId: 'editor' }, { clientName: 'Other' }, { storage })

      expect(await storage.clients.find(clientId('editor'))).toMatchObject({ clientName: 'Other', ...addresses })
    },
  )

  it('refuses them by default, and names the member that allows them (RFC 8252 §7.1)', async () => {
    const storage = createMemoryStorage({ issuer: 'https://as.test' })

    const registering = registerClient({ ...app, redirectUris: ['vscode://x/cb'] }, { storage })

    await expect(registering).rejects.toMatchObject({ code: 'invalid_redirect_uri' })
    await expect(registering).rejects.toThrow('allow_schemes_without_dot')
    expect(await storage.clients.find(clientId('editor'))).toBeUndefined()
  })

  it.each([
    'javascript:alert(1)',
    'data:text/html,x',
    'file:///x',
    'intent://x',
    'ftp://app.test/cb',
    'http://app.test/cb',
  ])('never registers %s (RFC 9700 §4.1.3)', async (uri) => {
    const storage = createMemoryStorage({ issuer: 'https://as.test' })

    const registering = registerClient({ ...app, redirectUris: [uri], allowSchemesWithoutDot }, { storage })

    await expect(registering).rejects.toMatchObject({ code: 'invalid_redirect_uri' })
    expect(await storage.clients.find(clientId('editor'))).toBeUndefined()
  })

  it('needs PKCE, because any app can receive the code (RFC 8252 §8.1)', async () => {
    const storage = createMemoryStorage({ issuer: 'https://as.test' })
    const confidential = { ...app, tokenEndpointAuthMethod: 'client_secret', redirectUris: ['vscode://x/cb'] } as const

    const registering = registerClient({ ...confidential, allowSchemesWithoutDot }, { storage })

    await expect(registering).rejects.toMatchObject({ code: 'invalid_client_metadata' })
    expect(
      await registerClient({ ...confidential, allowSchemesWithoutDot, requirePkce: true }, { storage }),
    ).toMatchObject({ client: { redirectUris: ['vscode://x/cb'] } })
  })
})

describe('redirect URIs on the host of the server', () => {
  const redirectUrisOf = (issuer: string, uri: string) =>
    registerClient(
      { clientName: 'App', redirectUris: [uri], postLogoutRedirectUris: [uri] },
      { storage: createMemoryStorage({ issuer }) },
    )

  it.each(endpointPaths)('refuses its endpoint %s (RFC 9700 §4.11)', async (path) => {
    for (const issuer of ['https://as.test', 'https://as.test/tenant'])
      await expect(redirectUrisOf(issuer, `${issuer}${path}?x=1`)).rejects.toMatchObject({
        code: 'invalid_redirect_uri',
      })
  })

  it.each([
    ['https://as.test', 'https://as.test/auth/callback'],
    ['https://as.test', 'https://as.test/'],
    ['https://as.test', 'https://as.test.evil/auth'],
    ['https://as.test/tenant', 'https://as.test/auth'],
    ['https://as.test', 'com.example.app:/auth'],
  ])('with the issuer %s, registers %s, which belongs to an app', async (issuer, uri) => {
    expect(await redirectUrisOf(issuer, uri)).toMatchObject({ client: { redirectUris: [uri] } })
  })
})
