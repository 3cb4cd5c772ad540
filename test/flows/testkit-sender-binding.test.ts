import { X509Certificate } from 'node:crypto'

import { certificateFromHeader } from '@mintmark/core'
import { createResourceServer, protectFetch } from '@mintmark/resource-server'
import { createProofKey, createTestCertificate, createTestIssuer } from '@mintmark/testkit'
import { expect, test } from 'vitest'

const payloadOf = (jwt: string): unknown => JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString())

const machine = { clientId: 'machine', clientName: 'Machine', grantTypes: ['client_credentials'], scopes: ['read'] }

async function issuerWithMachine(options: Parameters<typeof createTestIssuer>[0]) {
  const issuer = createTestIssuer({ ...options, scopes: { read: 'Read' } })
  const { clientSecret = '' } = await issuer.addClient(machine)
  const requestToken = async (headers: Readonly<Record<string, string>>) => {
    const reply = await issuer.fetch('https://issuer.test/token', {
      method: 'POST',
      headers: { ...headers, authorization: `Basic ${btoa(`machine:${clientSecret}`)}` },
      body: new URLSearchParams({ grant_type: 'client_credentials', scope: 'read' }),
    })
    return { reply, body: (await reply.json()) as Readonly<Record<string, string>> }
  }
  return { issuer, requestToken }
}

test('a proof key gets a bound token, and an API admits it with a new proof only (RFC 9449 §5, §7, §8)', async () => {
  const { issuer, requestToken } = await issuerWithMachine({ dpop: { nonces: 'required' } })
  const key = await createProofKey()
  const other = await createProofKey()
  const request = { method: 'POST', url: 'https://issuer.test/token?ignored' }
  const api = protectFetch(
    createResourceServer({
      issuer: issuer.issuer,
      fetch: issuer.fetch,
      audience: issuer.issuer,
      dpop: { origin: 'https://api.test' },
    }),
  ).requireAnyToken(() => new Response('admitted'))

  const challenge = await requestToken({ DPoP: await key.proof(request) })
  const nonce = challenge.reply.headers.get('dpop-nonce') ?? ''
  const { body } = await requestToken({ DPoP: await key.proof({ ...request, nonce }) })
  const { access_token: accessToken = '', token_type: type } = body
  const send = async (signer: typeof key) => {
    const proof = await signer.proof({ method: 'GET', url: 'https://api.test/orders', accessToken })
    const headers = { authorization: `DPoP ${accessToken}`, DPoP: proof }
    return (await api(new Request('https://api.test/orders?page=2', { headers }))).status
  }

  expect([challenge.body['error'], type]).toEqual(['use_dpop_nonce', 'DPoP'])
  expect(payloadOf(accessToken)).toMatchObject({ cnf: { jkt: key.thumbprint } })
  expect([await send(key), await send(other)]).toEqual([200, 401])
})

test('a proof has the time that the test gives it (RFC 9449 §4.2)', async () => {
  const key = await createProofKey()

  const proof = await key.proof({ method: 'GET', url: 'https://api.test/', issuedAt: 5 })

  expect(payloadOf(proof)).toMatchObject({ iat: 5, htm: 'GET', htu: 'https://api.test/' })
})

test('a certificate authenticates a client, and its thumbprint is in the token (RFC 8705 §2.1, §3)', async () => {
  const authority = await createTestCertificate({ commonName: 'CA', isAuthority: true })
  const certificate = await createTestCertificate({ commonName: 'c', dns: ['c.test'], signedBy: authority })
  const issuer = createTestIssuer({
    scopes: { read: 'Read' },
    mutualTls: {
      certificate: certificateFromHeader({
        format: 'client-cert',
        trust: 'this_proxy_sets_and_strips_it',
        chain: 'verified',
      }),
    },
  })
  await issuer.addClient({
    ...machine,
    tokenEndpointAuthMethod: 'tls_client_auth',
    tlsClientAuthSanDns: 'c.test',
    tlsClientCertificateBoundAccessTokens: true,
  })

  const reply = await issuer.fetch('https://issuer.test/token', {
    method: 'POST',
    headers: { 'client-cert': certificate.header },
    body: new URLSearchParams({ client_id: 'machine', grant_type: 'client_credentials', scope: 'read' }),
  })

  const { access_token: token = '' } = (await reply.json()) as Readonly<Record<string, string>>
  expect(payloadOf(token)).toMatchObject({ cnf: { 'x5t#S256': certificate.thumbprint } })
})

test('a certificate is signed by its authority, or by itself (RFC 5280 §4.1)', async () => {
  const authority = await createTestCertificate({ commonName: 'CA', isAuthority: true })
  const issued = await createTestCertificate({ commonName: 'server', dns: ['localhost'], signedBy: authority })
  const ca = new X509Certificate(authority.certificate)
  const server = new X509Certificate(issued.certificate)

  expect([server.checkIssued(ca), server.verify(ca.publicKey), ca.verify(ca.publicKey)]).toEqual([true, true, true])
  expect([ca.ca, server.ca, server.subjectAltName]).toEqual([true, false, 'DNS:localhost'])
  expect(server.raw.toString('base64')).toBe(issued.x5c)
})
