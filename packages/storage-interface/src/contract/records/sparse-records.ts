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
import { aClientRecord } from './a-client.ts'
import { aCodeRecord } from './a-code.ts'
import { aDigest } from './a-digest.ts'
import { aFamilyRecord } from './a-family.ts'
import { aGrantRecord } from './a-grant.ts'
import { aGroup } from './a-group.ts'
import { anInteractionRecord } from './an-interaction.ts'
import { anOpaqueTokenRecord } from './an-opaque-token.ts'
import { aProviderRecord } from './a-provider.ts'
import { aProvisionedUser } from './a-provisioned-user.ts'
import { aSessionRecord } from './a-session.ts'
import { aSigningKeyRecord } from './a-signing-key.ts'
import { aUser } from './a-user.ts'
import { nowPlus } from './moments.ts'

// Every member that may be absent is, every list, object, text and number is empty: absent, empty and zero stay apart.

const sparseAuthentication: AuthenticationRecord = {
  authTime: nowPlus(-9),
  acr: undefined,
  amr: [],
  sessionId: undefined,
}

export const sparseClient: ClientRecord = aClientRecord({
  clientId: clientId('sparse-client'),
  clientName: '',
  tokenEndpointAuthMethod: 'none',
  secrets: [],
  redirectUris: [],
  grantTypes: [],
  scopes: [],
  defaultMaxAge: 0,
})

export const sparseUser: NewUser = aUser({ userId: userId('sparse-user'), claims: {} })

export const sparseGrant: GrantRecord = aGrantRecord({
  grantId: grantId('sparse-grant'),
  userId: userId('sparse-user'),
  scopes: [],
})

export const sparseCode: AuthorizationCodeRecord = aCodeRecord({
  digest: aDigest('sparse-code'),
  scopes: [],
  nonce: undefined,
  codeChallengeMethod: 'exempt',
  codeChallenge: undefined,
  authentication: sparseAuthentication,
})

export const emptyCode: AuthorizationCodeRecord = aCodeRecord({
  digest: aDigest('empty-code'),
  nonce: '',
  codeChallenge: '',
  claimsRequest: {},
  authentication: { ...sparseAuthentication, acr: '', sessionId: sessionId('') },
})

export const sparseFamily: TokenFamilyRecord = aFamilyRecord({
  familyId: familyId('sparse-family'),
  scopes: [],
  authentication: sparseAuthentication,
  refresh: undefined,
})

export const sparseOpaqueToken: OpaqueTokenRecord = anOpaqueTokenRecord({
  digest: aDigest('sparse-opaque'),
  familyId: undefined,
  claims: {},
})

export const sparseInteraction: InteractionRecord = anInteractionRecord({
  digest: aDigest('sparse-interaction'),
  parameters: {},
})

export const sparseSession: SessionRecord = aSessionRecord({
  digest: aDigest('sparse-session'),
  sessionId: sessionId('sparse-session'),
  amr: [],
})

export const sparseSigningKey: SigningKeyRecord = aSigningKeyRecord({
  keyId: keyId('sparse-key'),
  publicJwk: {},
  vaultEntry: '',
})

export const sparseProvider: IdentityProviderRecord = aProviderRecord({
  providerId: providerId('sparse-provider'),
  displayName: '',
  secrets: [],
  clientIds: [],
  toleranceProfile: '',
  deprovisioning: undefined,
})

export const sparseProvisionedUser: NewProvisionedUser = aProvisionedUser('sparse', {
  state: {
    active: true,
    externalId: undefined,
    resource: jsonText({}),
    resourceForm: undefined,
    comparable: { userName: '' },
    claims: {},
  },
})

export const sparseGroup: NewGroup = aGroup('sparse', {
  groupId: groupId('sparse-group'),
  state: { externalId: undefined, displayName: '', resource: {}, comparable: {} },
})

/** An `externalId` that is empty is there, and found. */
export const emptyProvisionedUser: NewProvisionedUser = aProvisionedUser('empty', {
  state: { ...sparseProvisionedUser.state, externalId: '', comparable: { userName: 'empty' } },
})
