import { clientId } from '@mintmark/storage-interface'
import * as oauth from 'oauth4webapi'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { changeClient } from '../support/fixture-clients.ts'
import { startLoopbackServer, type ServerUnderTest } from '../support/server-under-test.ts'
import { visit } from '../support/interaction-steps.ts'
import { authorizationUrl, insecure, libraryClients, type LibraryClient } from './oauth4webapi-server.ts'

let site: ServerUnderTest
beforeAll(async () => {
  site = await startLoopbackServer()
  await changeClient(site.storage, clientId('B'), {
    requirePushedAuthorizationRequests: true,
    requireSignedRequestObject: true,
    requestObjectSigningAlg: 'ES256',
    authorizationSignedResponseAlg: 'ES256',
  })
})
afterAll(() => site.close())

describe('oauth4webapi', () => {
  it('pushes a signed request, and verifies a signed response (RFC 9126 §3, RFC 9101, JARM)', async () => {
    const party = withSignedResponses((await libraryClients(site)).B)
    const { as, authentication, redirectUri } = party
    const expected = await authorizationUrl(party, { response_mode: 'jwt' })
    const key = { key: site.clients.B.privateKey, kid: 'b1' }

    const object = await oauth.issueRequestObject(as, party.client, expected.url.searchParams, key)
    const response = await oauth.pushedAuthorizationRequest(
      as,
      party.client,
      authentication,
      { request: object },
      insecure,
    )
    const { request_uri: reference } = await oauth.processPushedAuthorizationResponse(as, party.client, response)
    const url = new URL(as.authorization_endpoint ?? '')
    url.search = new URLSearchParams({ client_id: 'B', request_uri: reference }).toString()
    const { location } = await visit(site, url)
    const parameters = await oauth.validateJwtAuthResponse(as, party.client, location, expected.state, insecure)
    const tokens = await oauth.processAuthorizationCodeResponse(
      as,
      party.client,
      await oauth.authorizationCodeGrantRequest(
        as,
        party.client,
        authentication,
        parameters,
        redirectUri,
        expected.verifier,
        insecure,
      ),
      { expectedNonce: expected.nonce, requireIdToken: true },
    )

    expect(oauth.getValidatedIdTokenClaims(tokens)?.sub).toBe('U1')
  })
})

const withSignedResponses = (party: LibraryClient): LibraryClient => ({
  ...party,
  client: { ...party.client, authorization_signed_response_alg: 'ES256' },
})
