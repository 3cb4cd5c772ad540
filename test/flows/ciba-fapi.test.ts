import { registerClient } from '@mintmark/core'
import { exportJWK, generateKeyPair } from 'jose'
import { expect, it } from 'vitest'

import { answerOf, cibaGrant, signRequest, startCibaServer } from '../support/ciba-world.ts'
import { assertionOf } from '../support/client-assertion.ts'
import { createProofKey, writeProof } from '../support/dpop.ts'
import { encode, postForm, type Change } from '../support/flow.ts'
import { signEs256 } from '../support/forge-jwt.ts'

/** Starts a server with F, a client with the rules of FAPI that signs its requests and its assertions. */
async function startFapiServer() {
  const site = await startCibaServer()
  const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true })
  await registerClient(
    {
      clientId: 'F',
      clientName: 'Bank app',
      profile: 'fapi2',
      tokenEndpointAuthMethod: 'private_key_jwt',
      jwks: { keys: [{ ...(await exportJWK(publicKey)), alg: 'ES256', kid: 'f1' }] },
      grantTypes: [cibaGrant],
      scopes: ['openid'],
      dpopBoundAccessTokens: true,
      backchannelAuthenticationRequestSigningAlg: 'ES256',
    },
    { storage: site.storage, clock: site.clock.now },
  )
  const signed = { header: { kid: 'f1' }, sign: signEs256(privateKey) }
  const post = async (path: string, form: Change, headers: Record<string, string> = {}) => {
    const assertion = await assertionOf(site, { ...signed, claims: { iss: 'F', sub: 'F' } })
    return postForm(site, path, encode({ ...assertion, ...form }), headers)
  }
  const request = (claims: Readonly<Record<string, unknown>> = {}) =>
    signRequest(site, { ...signed, claims: { iss: 'F', scope: 'openid', ...claims } })
  return { site, post, request }
}

it('a client of the profile fapi2 gets bound tokens for its signed request (FAPI-CIBA §5.2.2)', async () => {
  const { site, post, request } = await startFapiServer()
  const key = await createProofKey()

  const { json } = await post('/bc-authorize', { request: await request() })
  await site.asked[0]?.approve(answerOf(site))
  const poll = { grant_type: cibaGrant, auth_req_id: String(json['auth_req_id']) }
  const bare = await post('/token', poll)
  const proof = await writeProof(site, key, { claims: { htu: `${site.issuer}/token` } })
  const tokens = await post('/token', poll, { dpop: proof })

  expect([bare.status, bare.json['error']]).toEqual([400, 'invalid_dpop_proof'])
  expect(tokens.json).toMatchObject({ token_type: 'DPoP', scope: 'openid' })
})

it.each([
  ['without a signature', (): Change => ({ scope: 'openid', login_hint: 'U1' }), 'invalid_request'],
  [
    'without a message or details',
    async (request: Requests) => ({ request: await request({ binding_message: undefined }) }),
    'invalid_binding_message',
  ],
] as const)('a request of such a client %s is refused (FAPI-CIBA §5.2.2)', async (_, form, error) => {
  const { site, post, request } = await startFapiServer()

  const reply = await post('/bc-authorize', await form(request))

  expect([reply.status, reply.json['error']]).toEqual([400, error])
  expect(site.asked).toEqual([])
})

type Requests = Awaited<ReturnType<typeof startFapiServer>>['request']
