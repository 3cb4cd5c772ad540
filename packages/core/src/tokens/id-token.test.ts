import { createRemoteKeySets } from '../clients/remote-key-set.ts'
import { createOutboundClient } from '../outbound/client.ts'
import { epochSeconds, seconds, sessionId, type JsonObject } from '@mintmark/storage-interface'
import { decodeJwt } from 'jose'
import { expect, it } from 'vitest'

import { now, tokensUnderTest } from '../../test/tokens-under-test.ts'
import { mintIdToken } from './id-token.ts'
import { idTokenClaims } from './protocol-claims.ts'

/** No client of these tests publishes keys. */
const keySets = createRemoteKeySets(() => createOutboundClient())

async function mintWith(released: JsonObject) {
  const { deps, decision } = await tokensUnderTest()
  const authentication = {
    ...decision.forUser.authentication,
    acr: 'urn:acr',
    sessionId: sessionId('S1'),
    sessionExpiresAt: epochSeconds(now + 3600),
  }
  const forUser = { ...decision.forUser, authentication, nonce: 'n' }
  const minted = { decision: { ...decision, forUser }, accessToken: 'token', released }
  return decodeJwt(
    await mintIdToken(minted, now, { ...deps, keySets, idTokenLifetime: seconds(60), minimumProfile: 'ipsie_sl1' }),
  )
}

it('mints the claims that `idTokenClaims` lists and the released claims, and no others (OIDC Core §2)', async () => {
  const claims = await mintWith({ name: 'Ada' })

  expect(Object.keys(claims).toSorted()).toEqual([...idTokenClaims, 'name'].toSorted())
})

it('mints its own value of every protocol claim, even when a released claim has the same name (OIDC Core §2)', async () => {
  const forged = Object.fromEntries(idTokenClaims.map((name) => [name, 'forged']))

  const claims = await mintWith(forged)

  expect(Object.values(claims)).not.toContain('forged')
})
