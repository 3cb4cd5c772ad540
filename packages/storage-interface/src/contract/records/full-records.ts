import type { AuthenticationRecord, AuthorizationCodeRecord } from '../../authorization-code.ts'
import type { ClientRecord } from '../../client.ts'
import type { GrantRecord } from '../../grant.ts'
import type { NewGroup } from '../../group.ts'
import { clientId, familyId, grantId, groupId, keyId, providerId, sessionId, userId } from '../../identifiers.ts'
import type { IdentityProviderRecord } from '../../identity-provider.ts'
import type { InteractionRecord } from '../../interaction.ts'
import { jsonText } from '../../json.ts'
import type { OpaqueTokenRecord } from '../../opaque-token.ts'
import type { NewProvisionedUser } from '../../provisioned-user.ts'
import type { SessionRecord } from '../../session.ts'
import type { SigningKeyRecord } from '../../signing-key.ts'
import type { TokenFamilyRecord } from '../../token-family.ts'
import type { NewUser } from '../../user.ts'
import { aDigest } from './a-digest.ts'
import { nowPlus } from './moments.ts'
import { longText, richComparable, richJson, richText } from './rich-values.ts'

// Every member is there, and no two members of a record carry the same value: a dropped or exchanged column shows.

const fullAuthentication: AuthenticationRecord = {
  authTime: nowPlus(101),
  acr: `acr ${richText}`,
  amr: ['hwk', richText, ''],
  sessionId: sessionId('full-sid'),
}

export const fullClient: ClientRecord = {
  clientId: clientId('full-client'),
  clientName: `Name ${richText}`,
  tokenEndpointAuthMethod: 'private_key_jwt',
  secrets: [
    { digest: aDigest('full-1'), createdAt: nowPlus(1), expiresAt: nowPlus(2), lastUsedAt: nowPlus(3) },
    { digest: aDigest('full-2'), createdAt: nowPlus(4), expiresAt: undefined, lastUsedAt: nowPlus(5) },
    { digest: aDigest('full-3'), createdAt: nowPlus(6), expiresAt: nowPlus(7), lastUsedAt: undefined },
  ],
  jwks: { keys: [richJson] },
  jwksUri: `https://full.example/jwks?${longText}`,
  redirectUris: ['https://full.example/b', 'https://full.example/a', 'https://full.example/b'],
  grantTypes: ['client_credentials', richText],
  scopes: ['z', 'a', 'z'],
  servedAudiences: ['https://api.example/2', 'https://api.example/1'],
  idTokenSignedResponseAlg: 'EdDSA',
  userinfoSignedResponseAlg: 'PS256',
  defaultMaxAge: 86_399,
  requireAuthTime: true,
  disabledAt: nowPlus(8),
  createdAt: nowPlus(9),
  version: 17,
}

export const fullUser: NewUser = {
  userId: userId('full-user'),
  claims: { ...richJson, long: longText },
  createdAt: nowPlus(10),
}

export const fullGrant: GrantRecord = {
  grantId: grantId('full-grant'),
  clientId: clientId('full-client'),
  userId: userId('full-user'),
  userGeneration: 11,
  scopes: ['full', richText, ''],
  createdAt: nowPlus(12),
  revokedAt: nowPlus(13),
  version: 14,
}

export const fullCode: AuthorizationCodeRecord = {
  digest: aDigest('full-code'),
  clientId: clientId('full-client'),
  grantId: grantId('full-grant'),
  familyId: familyId('full-family'),
  userId: userId('full-user'),
  redirectUri: `https://full.example/cb?${longText}`,
  scopes: ['code-scope', 'a'],
  resources: ['https://api.example/b', 'https://api.example/a'],
  nonce: `nonce ${richText}`,
  codeChallengeMethod: 'S256',
  codeChallenge: aDigest('challenge'),
  claimsRequest: { userinfo: richJson },
  authentication: fullAuthentication,
  issuedAt: nowPlus(15),
  expiresAt: nowPlus(1016),
}

export const fullFamily = {
  familyId: familyId('full-family'),
  grantId: grantId('full-grant'),
  clientId: clientId('full-client'),
  userId: userId('full-user'),
  scopes: ['family-scope', 'a'],
  resources: ['https://api.example/d', 'https://api.example/c'],
  claimsRequest: { id_token: richJson },
  authentication: fullAuthentication,
  refresh: {
    handleDigest: aDigest('full-handle'),
    currentDigest: aDigest('full-current'),
    previousDigest: aDigest('full-previous'),
    successorSalt: 'full-salt',
    rotatedAt: nowPlus(17),
    expiresAt: nowPlus(1018),
  },
  createdAt: nowPlus(19),
  expiresAt: nowPlus(1020),
  revokedAt: nowPlus(21),
} satisfies TokenFamilyRecord

export const fullOpaqueToken: OpaqueTokenRecord = {
  digest: aDigest('full-opaque'),
  clientId: clientId('full-client'),
  familyId: familyId('full-family'),
  claims: { ...richJson, scope: longText },
  expiresAt: nowPlus(1022),
  revokedAt: undefined,
}

export const fullInteraction = {
  digest: aDigest('full-interaction'),
  browserDigest: aDigest('full-browser'),
  clientId: clientId('full-client'),
  parameters: Object.fromEntries([
    ['__proto__', 'own'],
    ['state', longText],
    ['nonce', '\u0000'],
    ['scope', ''],
    ['toString', richText],
  ]) as Readonly<Record<string, string>>,
  resources: ['https://api.example/f', 'https://api.example/e'],
  login: { userId: userId('full-user'), userGeneration: 23, authentication: fullAuthentication },
  createdAt: nowPlus(24),
  expiresAt: nowPlus(1025),
  version: 26,
} satisfies InteractionRecord

export const fullSession: SessionRecord = {
  digest: aDigest('full-session'),
  sessionId: sessionId('full-session-id'),
  userId: userId('full-user'),
  userGeneration: 27,
  authTime: nowPlus(28),
  acr: `acr ${richText}`,
  amr: ['otp', richText],
  createdAt: nowPlus(29),
  idleExpiresAt: nowPlus(1030),
  expiresAt: nowPlus(1031),
  revokedAt: nowPlus(32),
}

export const fullSigningKey: SigningKeyRecord = {
  keyId: keyId('full-key'),
  algorithm: 'PS512',
  ordinal: 33,
  publicJwk: richJson,
  vaultEntry: longText,
  createdAt: nowPlus(34),
  signsFrom: nowPlus(1034),
  droppedAt: nowPlus(35),
}

export const fullProvider: IdentityProviderRecord = {
  providerId: providerId('full-provider'),
  displayName: `Directory ${richText}`,
  secrets: [
    { digest: aDigest('full-4'), createdAt: nowPlus(35), expiresAt: nowPlus(36), lastUsedAt: nowPlus(37) },
    { digest: aDigest('full-5'), createdAt: nowPlus(38), expiresAt: undefined, lastUsedAt: nowPlus(39) },
    { digest: aDigest('full-6'), createdAt: nowPlus(40), expiresAt: nowPlus(41), lastUsedAt: undefined },
  ],
  clientIds: [clientId('z'), clientId(richText), clientId('a'), clientId('z')],
  toleranceProfile: 'full-profile',
  deprovisioning: { windowStartedAt: nowPlus(1), count: 3, suspendedAt: nowPlus(2) },
  disabledAt: nowPlus(42),
  createdAt: nowPlus(43),
  version: 44,
}

export const fullProvisionedUser = {
  providerId: providerId('full-provider'),
  userId: userId('full-provisioned'),
  state: {
    active: false,
    externalId: `external ${richText}`,
    resource: jsonText({ ...richJson, long: longText }),
    resourceForm: `form ${richText}`,
    comparable: { ...richComparable, userName: `name ${richText}`, long: longText },
    claims: { claim: richJson },
  },
  createdAt: nowPlus(45),
} satisfies NewProvisionedUser

export const fullGroup = {
  providerId: providerId('full-provider'),
  groupId: groupId('full-group'),
  state: {
    externalId: `group ${richText}`,
    displayName: longText,
    resource: { group: richJson },
    comparable: { ...richComparable, displayName: `display ${richText}` },
  },
  memberIds: [userId('full-provisioned')],
  createdAt: nowPlus(46),
} satisfies NewGroup
