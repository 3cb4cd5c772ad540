import { type Header, json, noStore, type Random, randomIdentifier, type ServerResponse } from '@mintmark/internal'
import { after, type EpochSeconds } from '@mintmark/storage-interface'

import { defaultAlgorithm, signJwt } from '../keys/jws.ts'
import type { KeyRing } from '../keys/ring.ts'
import type { AssertionDecision } from '../tokens/grant.ts'
import { idJagTokenType } from './grants/id-jag.ts'
import { idJagType } from './grants/presented-assertion.ts'

interface AssertionResponseDependencies {
  readonly issuer: string
  readonly keys: KeyRing
  readonly random: Random
}

/** An ID-JAG, and what identifies it. */
interface IssuedAssertion {
  readonly tokenId: string
  readonly response: ServerResponse
}

/** Signs an ID-JAG and renders the response: it is no access token (ID-JAG §4.3.4). */
export async function assertionResponse(
  { issue }: AssertionDecision,
  { now, headers }: { readonly now: EpochSeconds; readonly headers: readonly Header[] },
  { issuer, keys, random }: AssertionResponseDependencies,
): Promise<IssuedAssertion> {
  const { claims, lifetime, scopes } = issue
  const tokenId = randomIdentifier(random)
  const own = { iss: issuer, jti: tokenId, iat: now, exp: after(now, lifetime) }
  const assertion = await signJwt(idJagType, { ...claims, ...own }, await keys.signer(defaultAlgorithm(keys)))
  const body = {
    access_token: assertion,
    issued_token_type: idJagTokenType,
    token_type: 'N_A',
    expires_in: lifetime,
    scope: scopes.length > 0 ? scopes.join(' ') : undefined,
  }
  return { tokenId, response: json(200, body, headers.length === 0 ? noStore : [...noStore, ...headers]) }
}
