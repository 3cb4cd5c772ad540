import { createPublicKey } from 'node:crypto'

import { certificateFromHeader, registerClient } from '@mintmark/core'
import { clientId, type ClientRecord } from '@mintmark/storage-interface'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'

import { certificateHeader, commonName, issueCertificate, type TestCertificate } from '../support/certificates.ts'
import { createProofKey, writeProof } from '../support/dpop.ts'
import { changeClient } from '../support/fixture-clients.ts'
import { authorize, type Change, encode, obtainCode, postForm, signedInAs, verifier } from '../support/flow.ts'
import { readJws } from '../support/forge-jwt.ts'
import { expectServing, expectRefusal, expectJsonRefusal } from '../support/expect-refusal.ts'
import type { Reply } from '../support/send.ts'
import { startServer, type ServerUnderTest } from '../support/server-under-test.ts'
import { introspect, authenticateEveryClient, postAs, tokensOf } from '../support/token-calls.ts'

const aliasOrigin = 'https://mtls.as.test'
const trust = 'this_proxy_sets_and_strips_it'
const example: Parameters<typeof issueCertificate>[0]['subject'] = [
  ['2.5.4.6', 'SE', 0x13],
  ['2.5.4.10', 'Example, Inc.'],
  commonName('client'),
]
const c1 = issueCertificate({ subject: example, dns: ['client.app.test'] })
const c2 = issueCertificate({ subject: [commonName('other')], dns: ['other.app.test'] })

let site: ServerUnderTest
beforeAll(async () => {
  const certificate = certificateFromHeader({ format: 'client-cert', trust, chain: { header: 'client-verify' } })
  site = await startServer({ mutualTls: { certificate, aliasOrigin } })
  await expectServing(site)
  await authenticateEveryClient(site)
})
afterAll(() => site.close())

const change = (id: string, changed: Partial<ClientRecord>): Promise<void> =>
  changeClient(site.storage, clientId(id), changed)

/** Returns the headers that the proxy of the test adds. */
const headersFor = (certificate: TestCertificate, verdict = 'SUCCESS') => ({
  ...certificateHeader(certificate),
  'client-verify': verdict,
})

const postAsM = (headers: Record<string, string> = {}, path = '/token', form: Change = {}): Promise<Reply> => {
  const grant = path === '/token' ? { grant_type: 'client_credentials', scope: 'api.read' } : {}
  return postForm(site, path, encode({ client_id: 'M', ...grant, ...form }), headers)
}

const confirmationOf = (reply: Reply): unknown => readJws(String(reply.json['access_token'])).payload['cnf']

const noNames = {
  tlsClientAuthSubjectDn: undefined,
  tlsClientAuthSanDns: undefined,
  tlsClientAuthSanUri: undefined,
  tlsClientAuthSanIp: undefined,
  tlsClientAuthSanEmail: undefined,
}

const expectRefused = (
  headers: Record<string, string>,
  reason: 'client_certificate_wrong' | 'client_certificate_missing',
) => expectJsonRefusal(site, { status: 401, error: 'invalid_client' }, { send: () => postAsM(headers), reason })

describe('a client with tls_client_auth', () => {
  const registerName = (name: Partial<ClientRecord>): Promise<void> =>
    change('M', { tokenEndpointAuthMethod: 'tls_client_auth', ...noNames, ...name })
  beforeEach(() => registerName({ tlsClientAuthSanDns: 'Client.app.test' }))

  it('authenticates with its certificate at every endpoint (RFC 8705 §2.1)', async () => {
    const token = await postAsM(headersFor(c1))

    expect([token.status, token.json['token_type'], confirmationOf(token)]).toEqual([200, 'Bearer', undefined])
    const revoked = await postAsM(headersFor(c1), '/token/revocation', { token: String(token.json['access_token']) })
    const described = await postAsM(headersFor(c1), '/token/introspection', {
      token: String(token.json['access_token']),
    })
    expect([revoked.status, described.status, described.json['active']]).toEqual([200, 200, false])
  })

  it('is refused with a certificate that is truncated to any length (RFC 5280 §4.1)', async () => {
    for (let length = 0; length < c1.der.length; length += 9) {
      const reply = await postAsM(headersFor({ ...c1, der: c1.der.subarray(0, length) }))
      expect([length, reply.status, reply.json['error']]).toEqual([length, 401, 'invalid_client'])
    }
  })

  it('is refused with a certificate that has two subjectAltName extensions (RFC 5280 §4.2)', async () => {
    const der = Buffer.from(c1.der)
    const basicConstraints = der.indexOf(Buffer.of(0x55, 0x1d, 0x13))
    // Turns the extension 2.5.29.19 (basicConstraints) into a second 2.5.29.17 (subjectAltName) with an empty list.
    der.writeUInt8(0x11, basicConstraints + 2)

    await expectRefused(headersFor({ ...c1, der }), 'client_certificate_wrong')
  })

  it('is refused without a certificate at every endpoint, as it is at the origin without mutual TLS (RFC 8705 §5)', async () => {
    for (const path of ['/token', '/token/revocation', '/token/introspection', '/auth/push'])
      await expectJsonRefusal(
        site,
        { status: 401, error: 'invalid_client' },
        { send: () => postAsM({}, path, { token: 'x' }), reason: 'client_certificate_missing' },
      )
  })

  it('is refused with the certificate of another client, or of an unknown authority (RFC 8705 §2.1)', async () => {
    await expectRefused(headersFor(c2), 'client_certificate_wrong')
    await expectRefused(headersFor(c1, 'FAILED:self-signed certificate'), 'client_certificate_wrong')
    await expectRefused(certificateHeader(c1), 'client_certificate_wrong')
  })

  it('is refused with a wildcard, a homograph or a name that is only in the common name (RFC 8705 §2.1.2)', async () => {
    for (const dns of [['*.app.test'], ['client.app.test.evil.test'], ['xn--lient-vqf.app.test'], []])
      await expectRefused(
        headersFor(issueCertificate({ subject: [commonName('client.app.test')], dns })),
        'client_certificate_wrong',
      )
  })

  it('is refused with an expired certificate, and with one that is not yet valid (RFC 5280 §4.1.2.5)', async () => {
    const now = site.clock.now()
    const dns = ['client.app.test']
    await expectRefused(
      headersFor(issueCertificate({ subject: example, dns, notAfter: now - 1 })),
      'client_certificate_wrong',
    )
    await expectRefused(
      headersFor(issueCertificate({ subject: example, dns, notBefore: now + 1 })),
      'client_certificate_wrong',
    )
  })

  it('is identified by the subject of its certificate, compared as a parsed name (RFC 8705 §2.1.2, RFC 4514)', async () => {
    const equal = ['CN=client,O=Example\\, Inc.,C=SE', '2.5.4.3=#0c06636c69656e74 , o=EXAMPLE\\2c  inc., c=se']
    const unequal = ['C=SE,O=Example\\, Inc.,CN=client', 'CN=client,C=SE', 'CN=client,O=Example\\, Inc.,C=SE,DC=x']
    for (const tlsClientAuthSubjectDn of equal) {
      await registerName({ tlsClientAuthSubjectDn })
      expect((await postAsM(headersFor(c1))).status, tlsClientAuthSubjectDn).toBe(200)
    }
    for (const tlsClientAuthSubjectDn of unequal) {
      await registerName({ tlsClientAuthSubjectDn })
      await expectRefused(headersFor(c1), 'client_certificate_wrong')
    }
  })

  it('is refused when the common name contains a NUL (RFC 4514 §2.4)', async () => {
    await registerName({ tlsClientAuthSubjectDn: 'CN=client\\00.evil.test' })
    await expectRefused(
      headersFor(issueCertificate({ subject: [commonName('client\0.evil.test')] })),
      'client_certificate_wrong',
    )
  })

  it('is identified by the URI, IP address or e-mail address of its certificate (RFC 8705 §2.1.2)', async () => {
    const certificate = issueCertificate({
      subject: example,
      uri: ['spiffe://app.test/client'],
      email: ['Client@APP.test'],
      ip: [Buffer.of(192, 0, 2, 7), Buffer.from('20010db8000000000000000000000007', 'hex')],
    })
    for (const name of [
      { tlsClientAuthSanUri: 'spiffe://app.test/client' },
      { tlsClientAuthSanEmail: 'Client@app.test' },
      { tlsClientAuthSanIp: '192.0.2.7' },
      { tlsClientAuthSanIp: '2001:DB8:0::7' },
    ]) {
      await registerName(name)
      expect((await postAsM(headersFor(certificate))).status, JSON.stringify(name)).toBe(200)
    }
    for (const name of [{ tlsClientAuthSanEmail: 'client@app.test' }, { tlsClientAuthSanIp: '192.0.2.8' }]) {
      await registerName(name)
      await expectRefused(headersFor(certificate), 'client_certificate_wrong')
    }
  })

  it('is refused when its registration has no certificate name, or two (RFC 8705 §2.1.2)', async () => {
    await registerName({})
    await expectRefused(headersFor(c1), 'client_certificate_wrong')
    await registerName({ tlsClientAuthSanDns: 'client.app.test', tlsClientAuthSanUri: 'https://client.app.test' })
    await expectRefused(headersFor(c1), 'client_certificate_wrong')
  })

  it('is refused when the header with the certificate is repeated, malformed or too long (RFC 9440 §4)', async () => {
    const [value = ''] = Object.values(certificateHeader(c1))
    for (const header of [
      [value, value],
      `x${value}`,
      `${value};a=1`,
      value.slice(0, -1),
      `:${'A'.repeat(20_000)}:`,
      '',
    ])
      await expectRefusal(site, {
        send: () =>
          site.send({
            method: 'POST',
            path: '/token',
            headers: {
              'content-type': 'application/x-www-form-urlencoded',
              'client-cert': header,
              'client-verify': 'SUCCESS',
            },
            body: encode({ client_id: 'M', grant_type: 'client_credentials' }),
          }),
        reason: typeof header === 'string' && header.length > 16_384 ? undefined : 'client_certificate_missing',
      })
  })

  it('is refused when it sends a secret, even with its certificate (OIDC Registration §2)', async () => {
    const secret = { client_secret: site.clients.M.secret }
    await expectRefusal(site, {
      send: () => postAsM(headersFor(c1), '/token', secret),
      reason: 'client_authentication_method',
    })
  })
})

it('a client with another method is not authenticated by a certificate (OIDC Registration §2)', async () => {
  const form = encode({ client_id: 'A', grant_type: 'client_credentials' })
  await expectRefusal(site, {
    send: () => postForm(site, '/token', form, headersFor(c1)),
    reason: 'client_authentication_method',
  })
})

describe('a client with self_signed_tls_client_auth', () => {
  const keySetOf = (certificate: TestCertificate) => ({
    keys: [{ kty: 'EC', crv: 'P-256', x: 'x', y: 'y', x5c: [certificate.der.toString('base64')] }],
  })
  beforeEach(() =>
    change('M', { tokenEndpointAuthMethod: 'self_signed_tls_client_auth', ...noNames, jwks: keySetOf(c1) }),
  )

  it('authenticates with the certificate of its key set, whoever issued it (RFC 8705 §2.2)', async () => {
    expect((await postAsM(headersFor(c1, 'FAILED:self-signed certificate'))).status).toBe(200)
  })

  it.each([
    { clientId: 'with-jwks', jwks: keySetOf(c1) },
    { clientId: 'with-jwks-uri', jwksUri: 'https://m.test/jwks' },
  ])('is registered with its key set or the URL of it: $clientId (RFC 8705 §2.2.2)', async (named) => {
    const metadata = { clientName: 'App', grantTypes: ['client_credentials'], redirectUris: [] } as const
    const tokenEndpointAuthMethod = 'self_signed_tls_client_auth'
    await registerClient({ ...metadata, ...named, tokenEndpointAuthMethod }, { storage: site.storage })

    expect(await site.storage.clients.find(clientId(named.clientId))).toMatchObject({
      ...named,
      tokenEndpointAuthMethod,
    })
  })

  it('is refused with another certificate, even of the same key (RFC 8705 §2.2)', async () => {
    const key = { privateKey: c1.key, publicKey: createPublicKey(c1.key) }
    await expectRefused(headersFor(c2), 'client_certificate_wrong')
    await expectRefused(headersFor(issueCertificate({ subject: example, key })), 'client_certificate_wrong')
    await expectRefused({}, 'client_certificate_missing')
  })

  it('is found in a published key set without another request to the client (RFC 8705 §2.2.2)', async () => {
    const fetched: string[] = []
    let published = keySetOf(c1)
    const certificate = certificateFromHeader({ format: 'client-cert', trust, chain: 'unverified' })
    const own = await startServer({
      mutualTls: { certificate, aliasOrigin },
      fetch: async (input) => {
        fetched.push(String(input instanceof Request ? input.url : input))
        return Response.json(published)
      },
    })
    onTestFinished(() => own.close())
    const selfSigned = { tokenEndpointAuthMethod: 'self_signed_tls_client_auth', ...noNames } as const
    await changeClient(own.storage, clientId('M'), { ...selfSigned, jwks: undefined, jwksUri: 'https://m.test/jwks' })
    const form = encode({ client_id: 'M', grant_type: 'client_credentials', scope: 'api.read' })
    const post = async (sent: TestCertificate) => (await postForm(own, '/token', form, certificateHeader(sent))).status

    expect(await post(c1)).toBe(200)
    own.clock.advance(61)
    expect(await post(c1)).toBe(200)
    expect(fetched).toEqual(['https://m.test/jwks'])

    published = keySetOf(c2)
    expect([await post(c2), await post(c1)]).toEqual([200, 401])
    expect(fetched).toHaveLength(2)
  })

  it('is refused with a registered certificate that has expired (RFC 5280 §4.1.2.5)', async () => {
    const expired = issueCertificate({ subject: example, notAfter: site.clock.now() - 86_400 })
    await change('M', { jwks: keySetOf(expired) })
    await expectRefused(headersFor(expired), 'client_certificate_wrong')
  })
})

describe('a client whose access tokens are bound to its certificate', () => {
  const redirect_uri = 'https://spa.test/cb'
  const scope = 'openid profile offline_access'
  beforeAll(() => change('P', { tlsClientCertificateBoundAccessTokens: true }))

  const send = (form: Change, headers: Record<string, string>): Promise<Reply> =>
    postAs(site, 'P', { path: '/token', form, headers })
  const code = () => obtainCode(site, { client_id: 'P', redirect_uri, scope })
  const redeem = async (headers: Record<string, string>, given?: string): Promise<Reply> =>
    send(
      {
        grant_type: 'authorization_code',
        code: given ?? (await code()),
        redirect_uri,
        code_verifier: verifier,
      },
      headers,
    )
  const userinfo = (accessToken: string, headers: Record<string, string>): Promise<Reply> =>
    site.send({ path: '/userinfo', headers: { authorization: `Bearer ${accessToken}`, ...headers } })

  it('gets tokens with the thumbprint of the certificate, which introspection shows (RFC 8705 §3.1, §3.2)', async () => {
    const reply = await redeem(headersFor(c1, 'NONE'))

    expect([reply.status, reply.json['token_type']]).toEqual([200, 'Bearer'])
    expect(confirmationOf(reply)).toEqual({ 'x5t#S256': c1.thumbprint })
    await change('RS', { servedAudiences: ['https://api.test', 'https://as.test'] })
    const described = await introspect(site, tokensOf(reply).access_token, 'RS')
    expect(described.json).toMatchObject({
      active: true,
      token_type: 'Bearer',
      cnf: { 'x5t#S256': c1.thumbprint },
    })
  })

  it('gets no token without a certificate, and its code is not used up (RFC 8705 §3)', async () => {
    const given = await code()
    await expectJsonRefusal(
      site,
      { status: 400, error: 'invalid_request' },
      { send: () => redeem({}, given), reason: 'certificate_missing' },
    )
    expect((await redeem(headersFor(c1), given)).status).toBe(200)
  })

  it('gets no token when it sends a DPoP proof as well (RFC 7800 §3.1)', async () => {
    const dpop = await writeProof(site, await createProofKey())
    const given = await code()
    await expectJsonRefusal(
      site,
      { status: 400, error: 'invalid_request' },
      { send: () => redeem({ ...headersFor(c1), dpop }, given), reason: 'certificate_with_proof' },
    )
  })

  it('is refused at userinfo with another certificate, or with none (RFC 8705 §3)', async () => {
    const { access_token: token } = tokensOf(await redeem(headersFor(c1)))

    for (const headers of [{}, headersFor(c2)]) {
      const reply = await expectRefusal(site, {
        send: () => userinfo(token, headers),
        reason: 'access_token_certificate_mismatch',
      })
      expect([reply.status, reply.json['error']]).toEqual([401, 'invalid_token'])
    }
    expect((await userinfo(token, headersFor(c1))).status).toBe(200)
    expect(await site.server.accessToken(token)).toBeUndefined()
  })

  it('is refused when it refreshes with another certificate, and the refresh token stays usable (RFC 8705 §7.1)', async () => {
    const { refresh_token } = tokensOf(await redeem(headersFor(c1)))
    const form = { grant_type: 'refresh_token', refresh_token }

    await expectRefusal(site, { send: () => send(form, headersFor(c2)), reason: 'refresh_token_key_mismatch' })
    await expectRefusal(site, { send: () => send(form, {}), reason: 'certificate_missing' })
    const refreshed = await send(form, headersFor(c1))
    expect([refreshed.status, confirmationOf(refreshed)]).toEqual([200, { 'x5t#S256': c1.thumbprint }])
  })
})

it('a certificate at the authorization endpoint changes nothing (RFC 8705 §7)', async () => {
  const reply = await authorize(site, {}, { cookie: signedInAs(site, 'U1'), ...headersFor(c1) })

  expect(reply.status).toBe(303)
})

it('a DPoP proof for the address of an alias is accepted (RFC 9449 §4.3, RFC 8705 §5)', async () => {
  const key = await createProofKey()
  const form = { grant_type: 'client_credentials', scope: 'api.read' }
  const withProof = async (htu: string): Promise<Reply> =>
    postAs(site, 'RS', { path: '/token', form, headers: { dpop: await writeProof(site, key, { claims: { htu } }) } })

  expect((await withProof(`${aliasOrigin}/token`)).json['token_type']).toBe('DPoP')
  await expectRefusal(site, { send: () => withProof('https://evil.test/token'), reason: 'dpop_target' })
})

it('discovery lists the methods and the aliases (RFC 8705 §3.3, §5)', async () => {
  const { json } = await site.send({ path: '/.well-known/openid-configuration' })

  expect(json).toMatchObject({
    tls_client_certificate_bound_access_tokens: true,
    mtls_endpoint_aliases: {
      token_endpoint: `${aliasOrigin}/token`,
      pushed_authorization_request_endpoint: `${aliasOrigin}/auth/push`,
      introspection_endpoint: `${aliasOrigin}/token/introspection`,
      revocation_endpoint: `${aliasOrigin}/token/revocation`,
      userinfo_endpoint: `${aliasOrigin}/userinfo`,
    },
  })
  expect(json['token_endpoint_auth_methods_supported']).toEqual(
    expect.arrayContaining(['tls_client_auth', 'self_signed_tls_client_auth']),
  )
  expect(Object.keys(json['mtls_endpoint_aliases'] ?? {})).not.toContain('authorization_endpoint')
})
