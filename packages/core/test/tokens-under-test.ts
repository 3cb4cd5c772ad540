import { randomIdentifiers, systemRandom } from '@mintmark/internal'
import { epochSeconds, familyId, seconds, userId } from '@mintmark/storage-interface'
import { createMemoryStorage } from '@mintmark/storage-interface/memory'

import { standardScopes } from '../src/permissions/scopes.ts'
import type { AuthenticatedClient } from '../src/clients/authenticate.ts'
import { registerClient, type ClientRegistration } from '../src/clients/registration.ts'
import { createVerifiedJwts } from '../src/keys/verify-jwt.ts'
import { createStoredKeys } from '../src/keys/stored-keys.ts'
import { noPossession } from '../src/sender/proven-possession.ts'
import { grantForUser, type DecisionForUser, type GrantEvidence } from '../src/tokens/grant.ts'
import { createRevocationNames } from '../src/tokens/access-token.ts'
import { createRefreshToken } from '../src/tokens/refresh-token.ts'

export const issuer = 'https://as.test'
export const now = epochSeconds(1_900_000_000)

/**
 * Creates memory storage with the user U1, the client A and a grant of U1 for A, and the dependencies for minting and
 * verifying tokens.
 */
export async function tokensUnderTest() {
  const storage = createMemoryStorage({ issuer })
  const clock = () => now
  const keys = createStoredKeys({ storage, clock, sealingKey: 'A'.repeat(43), algorithms: ['ES256'] })
  const deps = {
    issuer,
    storage,
    keys,
    random: systemRandom,
    accessTokenAlgorithm: 'ES256',
    minimumProfile: 'standard',
    revocationNames: createRevocationNames(keys),
    newTokenId: randomIdentifiers(systemRandom),
    mayAct: new Map<string, string>(),
    verifiedJwts: createVerifiedJwts(),
    scopes: standardScopes,
    detailTypes: new Map(),
    mapClaims: undefined,
    readsHostUsers: false,
    reportUnreleased: () => {},
    storedStatus: storage.status,
    apiClaims: {
      byResource: new Map(),
      byScope: new Map(),
      identityByScope: new Map(),
      limits: { values: 100, bytes: 4096, overflow: 'refuse' },
    },
  } as const

  /** Registers a client, and returns it as an authenticated client. */
  const aClient = async (registration: Partial<ClientRegistration> & { readonly clientId: string }) => {
    const { client } = await registerClient({ clientName: 'App', grantTypes: [], ...registration }, { storage, clock })
    return client as AuthenticatedClient
  }
  await storage.users.insert({ userId: userId('U1'), claims: { name: 'Ada' }, createdAt: now })
  const client = await aClient({ clientId: 'A', grantTypes: ['refresh_token'], scopes: ['openid', 'offline_access'] })
  const scopes = ['openid', 'offline_access']
  const signedIn = { subject: 'U1', authTime: now, amr: ['pwd'] }
  const forUser = await grantForUser({ client, signedIn, scopes, lifetime: seconds(300) }, now, { storage })
  const decision: DecisionForUser = {
    evidence: Object.freeze({}) as GrantEvidence,
    client,
    possession: noPossession,
    target: { audience: [issuer, 'https://api.test'], scopes: ['openid'], lifetime: seconds(300), format: 'jwt' },
    forUser,
    refreshToken: undefined,
  }

  /** Stores a token family with a refresh token under the same grant. */
  const aRefreshToken = async () => {
    const lifetimes = { refreshTokenIdle: seconds(600), refreshTokenAbsolute: seconds(900) }
    const { token, record } = await createRefreshToken(now, { random: systemRandom, lifetimes })
    const family = familyId('refreshable')
    await storage.families.insert({
      familyId: family,
      grantId: forUser.grantId,
      clientId: client.clientId,
      userId: userId('U1'),
      scopes,
      resources: [],
      claimsRequest: undefined,
      boundSessionId: undefined,
      possession: { kind: 'none' },
      authorizationDetails: [],
      organizationId: undefined,
      authentication: forUser.authentication,
      lineage: undefined,
      refresh: record,
      createdAt: now,
      expiresAt: epochSeconds(now + 900),
      revokedAt: undefined,
    })
    return { token, familyId: family }
  }
  return { storage, deps, decision, client, aClient, aRefreshToken }
}
