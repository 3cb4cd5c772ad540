import { seconds, sessionId } from '@mintmark/storage-interface'
import { decodeJwt } from 'jose'
import { expect, it } from 'vitest'

import { now, tokensUnderTest } from '../../test/tokens-under-test.ts'
import { standardScopes } from '../authorize/scopes.ts'
import { mintIdToken } from './id-token.ts'
import { idTokenClaims, protocolClaims } from './protocol-claims.ts'

async function mintWith(mapClaims: (() => Readonly<Record<string, string>>) | undefined) {
  const { deps, decision } = await tokensUnderTest()
  const authentication = { ...decision.forUser.authentication, acr: 'urn:acr', sessionId: sessionId('S1') }
  const forUser = { ...decision.forUser, authentication, nonce: 'n' }
  const scopes = new Map([...standardScopes].map(([name, scope]) => [name, { ...scope, ...released }] as const))
  const idToken = await mintIdToken({ decision: { ...decision, forUser }, accessToken: 'token' }, now, {
    ...deps,
    scopes,
    mapClaims,
    idTokenLifetime: seconds(60),
  })
  return decodeJwt(idToken)
}

/** A scope that releases every protocol claim, if releasing them were possible. */
const released = { claims: [...protocolClaims, 'name'], idTokenClaims: [...protocolClaims, 'name'] }

it('mints every claim that the definition of protocol claims names, and no other (OIDC Core §2)', async () => {
  const claims = await mintWith(undefined)

  expect(Object.keys(claims).toSorted()).toEqual([...idTokenClaims, 'name'].toSorted())
})

it('does not let user data or the host override a protocol claim (OIDC Core §2)', async () => {
  const forged = Object.fromEntries([...protocolClaims].map((name) => [name, 'forged']))

  const claims = await mintWith(() => forged)

  expect(Object.values(claims)).not.toContain('forged')
})
