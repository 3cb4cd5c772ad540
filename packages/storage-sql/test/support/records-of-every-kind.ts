import {
  type AdminStorage,
  type AuthorizationCodeRecord,
  clientId,
  type ClientRecord,
  epochSeconds,
  familyId,
  grantId,
  type GrantRecord,
  groupId,
  type InteractionRecord,
  type JsonObject,
  keyId,
  type OpaqueTokenRecord,
  organizationId,
  providerId,
  seconds,
  sessionId,
  type SessionRecord,
  type SigningKeyRecord,
  type TokenFamilyRecord,
  userId,
} from '@mintmark/storage-interface'
import {
  type AuthenticationRecord,
  type IdentityProviderRecord,
  type LogEntryRecord,
  type MembershipRecord,
  type NewGroup,
  type NewProvisionedUser,
  type OrganizationRecord,
  type SecretDigest,
  jsonText,
  secretDigest,
} from '@mintmark/storage-interface/stores'
import { aClientRecord, aProviderRecord } from '@mintmark/storage-interface/fixtures'

export const issuer = 'https://issuer.example'

const at = (offset: number) => epochSeconds(1_800_000_000 + offset)
const now = at(500)
const digest = (label: string) => secretDigest(label.padEnd(43, 'x'))

// One file: the records, how they are written, and what reading them returns must agree.

/** A string that quoting, JSON or a database could change. */
const rich = `a'b"c\\d\n\t\0 \u001A ä€😀 %_;--`
const richJson: JsonObject = { text: rich, list: [1, -2.5, true, null, ''], nested: { empty: {}, none: [] } }

const authentication: AuthenticationRecord = {
  authTime: at(1),
  acr: rich,
  amr: ['pwd', ''],
  sessionId: sessionId('s'),
  sessionExpiresAt: at(9),
}
const briefAuthentication: AuthenticationRecord = {
  authTime: at(2),
  acr: undefined,
  amr: [],
  sessionId: undefined,
  sessionExpiresAt: undefined,
}

// The contract's records give a value to members that were added after the fixtures were made.
const fullClient: ClientRecord = {
  ...aClientRecord(),
  clientId: clientId('client-full'),
  clientName: rich,
  tokenEndpointAuthMethod: 'private_key_jwt',
  secrets: [
    { digest: digest('one'), createdAt: at(3), expiresAt: at(4), lastUsedAt: at(5) },
    { digest: digest('two'), createdAt: at(6), expiresAt: undefined, lastUsedAt: undefined },
  ],
  jwks: { keys: [richJson] },
  jwksUri: 'https://client.example/jwks',
  redirectUris: ['https://client.example/b', 'https://client.example/a'],
  grantTypes: ['authorization_code', rich],
  scopes: ['b', 'a'],
  servedAudiences: ['https://api.example'],
  idTokenSignedResponseAlg: 'EdDSA',
  userinfoSignedResponseAlg: 'PS256',
  defaultMaxAge: 7,
  requireAuthTime: true,
  disabledAt: at(8),
  createdAt: at(9),
  version: 10,
}
const sparseClient: ClientRecord = {
  ...aClientRecord(),
  clientId: clientId('client-sparse'),
  clientName: '',
  tokenEndpointAuthMethod: 'none',
  secrets: [],
  jwks: undefined,
  jwksUri: undefined,
  redirectUris: [],
  grantTypes: [],
  scopes: [],
  servedAudiences: [],
  idTokenSignedResponseAlg: 'ES256',
  userinfoSignedResponseAlg: undefined,
  defaultMaxAge: undefined,
  requireAuthTime: false,
  disabledAt: undefined,
  createdAt: at(11),
  version: 1,
}

const fullProvider: IdentityProviderRecord = {
  ...aProviderRecord(),
  providerId: providerId('provider-full'),
  displayName: rich,
  secrets: [{ digest: digest('three'), createdAt: at(12), expiresAt: at(13), lastUsedAt: at(14) }],
  clientIds: [clientId('z'), clientId(rich)],
  toleranceProfile: 'strict',
  deprovisioning: { windowStartedAt: at(15), count: 16, cohorts: undefined, suspendedAt: at(17) },
  disabledAt: at(18),
  createdAt: at(19),
  version: 20,
}
const sparseProvider: IdentityProviderRecord = {
  ...aProviderRecord(),
  providerId: providerId('provider-sparse'),
  displayName: '',
  secrets: [],
  clientIds: [],
  toleranceProfile: '',
  setupLink: undefined,
  deprovisioning: undefined,
  disabledAt: undefined,
  createdAt: at(21),
  version: 1,
}
const countingProvider: IdentityProviderRecord = {
  ...sparseProvider,
  providerId: providerId('provider-counting'),
  deprovisioning: { windowStartedAt: at(22), count: 1, cohorts: undefined, suspendedAt: undefined },
}

const fullUser = { userId: userId('user-full'), claims: richJson, createdAt: at(23) }
const sparseUser = { userId: userId('user-sparse'), claims: {}, createdAt: at(24) }

const fullGrant: GrantRecord = {
  grantId: grantId('grant-full'),
  clientId: fullClient.clientId,
  userId: fullUser.userId,
  userGeneration: 25,
  scopes: ['b', 'a', rich],
  resources: [],
  createdAt: at(26),
  authorizationDetails: [],
  clientDigest: undefined,
  revokedAt: at(27),
  version: 28,
}
const sparseGrant: GrantRecord = {
  ...fullGrant,
  grantId: grantId('grant-sparse'),
  userGeneration: 0,
  scopes: [],
  revokedAt: undefined,
  version: 1,
}

const fullCode: AuthorizationCodeRecord = {
  digest: digest('code-full'),
  clientId: fullClient.clientId,
  grantId: fullGrant.grantId,
  familyId: familyId('family-full'),
  userId: fullUser.userId,
  redirectUri: 'https://client.example/b',
  scopes: ['b', 'a'],
  resources: ['https://api.example'],
  nonce: rich,
  codeChallengeMethod: 'S256',
  codeChallenge: 'challenge',
  claimsRequest: richJson,
  authentication,
  boundSessionId: undefined,
  possession: { kind: 'none' },
  authorizationDetails: [],
  organizationId: undefined,
  issuedAt: at(29),
  expiresAt: at(1030),
}
const sparseCode: AuthorizationCodeRecord = {
  ...fullCode,
  digest: digest('code-sparse'),
  scopes: [],
  resources: [],
  nonce: undefined,
  codeChallengeMethod: 'exempt',
  codeChallenge: undefined,
  claimsRequest: undefined,
  authentication: briefAuthentication,
}

const fullFamily = {
  familyId: fullCode.familyId,
  grantId: fullGrant.grantId,
  clientId: fullClient.clientId,
  userId: fullUser.userId,
  scopes: ['b', 'a'],
  resources: ['https://api.example'],
  claimsRequest: richJson,
  authentication,
  boundSessionId: undefined,
  possession: { kind: 'none' },
  authorizationDetails: [],
  organizationId: undefined,
  refresh: {
    handleDigest: digest('handle-full'),
    currentDigest: digest('current'),
    previousDigest: digest('previous'),
    successorSalt: 'salt',
    rotatedAt: at(31),
    retriedAt: undefined,
    expiresAt: at(1032),
  },
  lineage: { parents: [familyId('family-root')], tokenIds: ['token-1'], act: { sub: 'client-1' } },
  createdAt: at(33),
  expiresAt: at(1034),
  revokedAt: at(35),
} satisfies TokenFamilyRecord
const sparseFamily: TokenFamilyRecord = {
  ...fullFamily,
  familyId: familyId('family-sparse'),
  scopes: [],
  resources: [],
  claimsRequest: undefined,
  authentication: briefAuthentication,
  lineage: undefined,
  refresh: undefined,
  revokedAt: undefined,
}
const freshFamily = {
  ...sparseFamily,
  familyId: familyId('family-fresh'),
  refresh: {
    handleDigest: digest('handle-fresh'),
    currentDigest: digest('first'),
    previousDigest: undefined,
    successorSalt: undefined,
    rotatedAt: undefined,
    retriedAt: undefined,
    expiresAt: at(1036),
  },
} satisfies TokenFamilyRecord
const rotatedFamily = {
  ...freshFamily,
  familyId: familyId('family-rotated'),
  refresh: { ...freshFamily.refresh, handleDigest: digest('handle-rotated') },
} satisfies TokenFamilyRecord
const neverIssuedFamily: TokenFamilyRecord = { ...sparseFamily, familyId: familyId('family-tombstone') }

const fullToken: OpaqueTokenRecord = {
  digest: digest('token-full'),
  clientId: fullClient.clientId,
  familyId: fullFamily.familyId,
  claims: richJson,
  expiresAt: at(1037),
  revokedAt: undefined,
}
const sparseToken: OpaqueTokenRecord = { ...fullToken, digest: digest('token-sparse'), familyId: undefined, claims: {} }
const revokedToken: OpaqueTokenRecord = { ...fullToken, digest: digest('token-revoked') }

const fullInteraction: InteractionRecord = {
  digest: digest('interaction-full'),
  browserDigest: digest('browser'),
  clientId: fullClient.clientId,
  parameters: { state: rich, scope: '' },
  resources: ['https://api.example'],
  login: { userId: fullUser.userId, userGeneration: 38, authentication, inSession: undefined },
  createdAt: at(39),
  expiresAt: at(1040),
  version: 41,
}
const sparseInteraction: InteractionRecord = {
  ...fullInteraction,
  digest: digest('interaction-sparse'),
  parameters: {},
  resources: [],
  login: undefined,
  version: 1,
}

const fullSession = {
  digest: digest('session-full'),
  sessionId: sessionId('session-full'),
  userId: fullUser.userId,
  userGeneration: 42,
  authTime: at(43),
  acr: rich,
  amr: ['otp'],
  userAgent: undefined,
  location: undefined,
  createdAt: at(44),
  lastSeenAt: at(44),
  idleExpiresAt: at(1045),
  expiresAt: at(1046),
  keptUntil: at(44),
  revokedAt: at(47),
  endReason: undefined,
} satisfies SessionRecord
const sparseSession = {
  ...fullSession,
  digest: digest('session-sparse'),
  sessionId: sessionId('session-sparse'),
  acr: undefined,
  amr: [],
  revokedAt: undefined,
} satisfies SessionRecord

const fullKey: SigningKeyRecord = {
  keyId: keyId('key-full'),
  algorithm: 'PS512',
  ordinal: 48,
  publicJwk: richJson,
  vaultEntry: rich,
  createdAt: at(49),
  signsFrom: at(50),
  droppedAt: at(51),
  rowMac: undefined,
}
const sparseKey: SigningKeyRecord = {
  ...fullKey,
  keyId: keyId('key-sparse'),
  ordinal: 0,
  publicJwk: {},
  createdAt: at(52),
  droppedAt: undefined,
}

const fullProvisioned = {
  providerId: fullProvider.providerId,
  userId: userId('provisioned-full'),
  state: {
    active: true,
    externalId: rich,
    resource: jsonText(richJson),
    renderKey: rich,
    comparable: { userName: rich, emails: [{ value: 'full@example.com' }], nested: richJson },
    claims: richJson,
  },
  createdAt: at(53),
} satisfies NewProvisionedUser
const sparseProvisioned = {
  providerId: fullProvider.providerId,
  userId: userId('provisioned-sparse'),
  state: {
    active: false,
    externalId: undefined,
    resource: jsonText({}),
    renderKey: undefined,
    comparable: {},
    claims: {},
  },
  createdAt: at(54),
} satisfies NewProvisionedUser
const provisioned = (label: string): NewProvisionedUser => ({
  ...sparseProvisioned,
  userId: userId(label),
  state: { ...fullProvisioned.state, externalId: label, comparable: { userName: label } },
})
const adoptable = { userId: userId('user-adopted'), claims: { name: 'before' }, createdAt: at(55) }

const fullGroup = {
  providerId: fullProvider.providerId,
  groupId: groupId('group-full'),
  state: { externalId: rich, displayName: rich, resource: richJson, comparable: { displayName: rich, n: richJson } },
  memberIds: [fullProvisioned.userId],
  createdAt: at(56),
} satisfies NewGroup
const sparseGroup = {
  providerId: fullProvider.providerId,
  groupId: groupId('group-sparse'),
  state: { externalId: undefined, displayName: '', resource: {}, comparable: {} },
  memberIds: [],
  createdAt: at(57),
} satisfies NewGroup

const organization: OrganizationRecord = {
  organizationId: organizationId('organization'),
  displayName: rich,
  createdAt: at(58),
  updatedAt: at(59),
  version: 60,
}
const membership: MembershipRecord = {
  organizationId: organization.organizationId,
  userId: fullUser.userId,
  roles: ['owner', rich],
  createdAt: at(61),
  updatedAt: at(62),
  version: 63,
}
const logEntry: LogEntryRecord = {
  entryId: 'entry',
  log: 'audit',
  at: at(64),
  expiresAt: at(1065),
  type: 'client.created',
  detail: richJson,
}

/** Writes a full and a sparse record of every kind, and records that were changed, revoked or removed. */
export async function writeRecords(storage: AdminStorage): Promise<void> {
  const removedClient = { ...fullClient, clientId: clientId('client-removed') }
  for (const client of [fullClient, sparseClient, removedClient]) await storage.clients.insert(client)
  await storage.clients.touchSecret(fullClient.clientId, digest('two'), now)
  await storage.clients.remove(removedClient.clientId, now)

  const removedProvider = { ...fullProvider, providerId: providerId('provider-removed') }
  for (const each of [fullProvider, sparseProvider, countingProvider, removedProvider])
    await storage.identityProviders.insert(each)
  await storage.identityProviders.remove(removedProvider.providerId, now)

  const removedUser = { ...fullUser, userId: userId('user-removed') }
  for (const user of [fullUser, sparseUser, removedUser, adoptable]) await storage.users.insert(user)
  await storage.users.deactivate(sparseUser.userId, now)
  await storage.users.remove(removedUser.userId, now)

  for (const grant of [fullGrant, sparseGrant]) await storage.grants.insert(grant)
  const consumedCode = { ...fullCode, digest: digest('code-consumed') }
  for (const code of [fullCode, sparseCode, consumedCode]) await storage.codes.insert(code)
  await storage.codes.consume(consumedCode.digest, fullClient.clientId, now)

  for (const family of [fullFamily, sparseFamily, freshFamily, rotatedFamily]) await storage.families.insert(family)
  await storage.families.rotate({
    handleDigest: rotatedFamily.refresh.handleDigest,
    presentedDigest: rotatedFamily.refresh.currentDigest,
    clientId: rotatedFamily.clientId,
    successorDigest: digest('second'),
    successorSalt: 'salt',
    expiresAt: at(1066),
    now,
    retryWindow: seconds(10),
  })
  await storage.families.insertTombstone(neverIssuedFamily, now)

  for (const token of [fullToken, sparseToken, revokedToken]) await storage.opaqueTokens.insert(token)
  await storage.opaqueTokens.revoke(revokedToken.digest, revokedToken.clientId, now)
  for (const interaction of [fullInteraction, sparseInteraction]) await storage.interactions.insert(interaction)
  for (const session of [fullSession, sparseSession]) await storage.sessions.insert(session)
  for (const key of [fullKey, sparseKey]) await storage.signingKeys.insert(key)
  await storage.replays.markUsed({ purpose: 'client_assertion_jti', value: rich, expiresAt: at(1067), now })

  for (const user of [fullProvisioned, sparseProvisioned, provisioned('changed'), provisioned('removed')])
    await storage.provisionedUsers.insert(user)
  const { providerId: owner } = fullProvisioned
  const { state } = provisioned('changed')
  await storage.provisionedUsers.compareAndSwap({
    providerId: owner,
    userId: userId('changed'),
    version: 1,
    state: { ...state, active: false },
    now,
  })
  await storage.provisionedUsers.adopt({
    providerId: owner,
    userId: adoptable.userId,
    version: 1,
    state: { ...state, externalId: 'adopted', comparable: { userName: 'adopted' } },
    now,
  })
  await storage.provisionedUsers.remove({ providerId: owner, userId: userId('removed'), version: 1, now })
  for (const group of [fullGroup, sparseGroup]) await storage.groups.insert(group)

  const removedOrganization = { ...organization, organizationId: organizationId('organization-removed') }
  for (const each of [organization, removedOrganization]) await storage.organizations.insert(each)
  await storage.organizations.remove(removedOrganization.organizationId, now)
  await storage.organizations.insertMember(membership)
  await storage.logs.append(logEntry)
  await storage.revocations.revokeToken({ tokenId: rich, expiresAt: at(1068), now })
  await storage.families.revoke(sparseFamily.familyId, now)
}

/** Reads what `writeRecords` has written. */
export async function readRecords(storage: AdminStorage): Promise<Readonly<Record<string, unknown>>> {
  const { clientId: client } = fullClient
  const family = async ({ familyId: id }: TokenFamilyRecord) => (await storage.status.ofFamily(id))?.family
  const session = async ({ digest: id }: { readonly digest: SecretDigest }) =>
    (await storage.status.ofSession(id))?.session
  const { providerId: owner } = fullProvider
  const user = (id: string) => storage.provisionedUsers.find(owner, userId(id))
  return {
    clients: await storage.clients.list({ after: undefined, limit: 10 }),
    removedClient: await storage.clients.find(clientId('client-removed')),
    providers: await storage.identityProviders.list({ after: undefined, limit: 10 }),
    users: [await storage.users.find(fullUser.userId), await storage.users.find(sparseUser.userId)],
    removedUser: await storage.users.find(userId('user-removed')),
    grants: [
      (await storage.status.ofGrant(fullGrant.grantId))?.grant,
      await storage.grants.findUnrevoked(sparseGrant.userId, sparseGrant.clientId),
    ],
    codes: [
      await storage.codes.find(fullCode.digest, client, now),
      await storage.codes.find(sparseCode.digest, client, now),
      await storage.codes.consume(digest('code-consumed'), client, now),
    ],
    families: [await family(fullFamily), await family(sparseFamily), await family(freshFamily)],
    rotatedFamily: await family(rotatedFamily),
    tombstone: await storage.families.insert(neverIssuedFamily),
    tokens: [
      await storage.opaqueTokens.find(fullToken.digest, now),
      await storage.opaqueTokens.find(sparseToken.digest, now),
      await storage.opaqueTokens.find(revokedToken.digest, now),
    ],
    interactions: [
      await storage.interactions.find(fullInteraction.digest, fullInteraction.browserDigest, now),
      await storage.interactions.find(sparseInteraction.digest, sparseInteraction.browserDigest, now),
    ],
    sessions: [await session(fullSession), await session(sparseSession)],
    keys: await storage.signingKeys.list(),
    replay: await storage.replays.markUsed({
      purpose: 'client_assertion_jti',
      value: rich,
      expiresAt: at(1067),
      now,
    }),
    provisioned: [await user('provisioned-full'), await user('provisioned-sparse')],
    changed: await user('changed'),
    adopted: await user('user-adopted'),
    removedProvisioned: await user('removed'),
    listed: (
      await storage.provisionedUsers.list({
        providerId: owner,
        filter: undefined,
        sort: undefined,
        page: { kind: 'index', offset: 0, limit: 1 },
      })
    ).outcome,
    groups: [
      await storage.groups.find(owner, fullGroup.groupId),
      await storage.groups.find(owner, sparseGroup.groupId),
    ],
    members: [...(await storage.groups.membersOf(owner, [fullGroup.groupId])).values()],
    organization: await storage.organizations.find(organization.organizationId),
    membership: await storage.organizations.findMember(membership.organizationId, membership.userId),
    log: await storage.logs.list({ log: 'audit', before: undefined, limit: 10 }),
    isTokenRevoked: await storage.revocations.isTokenRevoked(rich, now),
  }
}

const provisionedRecord = ({ providerId: owner, userId: id, state, createdAt }: NewProvisionedUser) => {
  const { comparable: _, ...shown } = state
  return {
    userId: id,
    ...unblocked,
    providerId: owner,
    ...shown,
    generation: 0,
    adopted: false,
    createdAt,
    updatedAt: createdAt,
    version: 1,
    groups: [],
  }
}

const groupRecord = ({ providerId: owner, groupId: id, state, createdAt }: NewGroup) => {
  const { comparable: _, ...shown } = state
  return { groupId: id, providerId: owner, ...shown, createdAt, updatedAt: createdAt, version: 1 }
}

const unblocked = { providerId: undefined, blockedAt: undefined, activeAfterBlock: undefined }

/** The status of a user whom the host has deactivated. */
const blocked = { active: false, blockedAt: now, activeAfterBlock: true }

/** What `readRecords` returns for a database that `writeRecords` has filled. */
export const writtenRecords: Readonly<Record<string, unknown>> = {
  clients: [
    { ...fullClient, secrets: [fullClient.secrets[0], { ...fullClient.secrets[1], lastUsedAt: now }] },
    sparseClient,
  ],
  removedClient: undefined,
  providers: [countingProvider, fullProvider, sparseProvider],
  users: [
    { ...fullUser, ...unblocked, active: true, generation: 0, updatedAt: fullUser.createdAt, version: 1 },
    { ...sparseUser, ...unblocked, ...blocked, generation: 1, updatedAt: now, version: 2 },
  ],
  removedUser: undefined,
  grants: [fullGrant, sparseGrant],
  codes: [fullCode, sparseCode, { outcome: 'replayed', record: { ...fullCode, digest: digest('code-consumed') } }],
  families: [fullFamily, { ...sparseFamily, revokedAt: now }, freshFamily],
  rotatedFamily: {
    ...rotatedFamily,
    refresh: {
      handleDigest: rotatedFamily.refresh.handleDigest,
      currentDigest: digest('second'),
      previousDigest: digest('first'),
      successorSalt: 'salt',
      rotatedAt: now,
      retriedAt: undefined,
      expiresAt: at(1066),
    },
  },
  tombstone: { outcome: 'revoked' },
  tokens: [fullToken, sparseToken, undefined],
  interactions: [fullInteraction, sparseInteraction],
  sessions: [fullSession, sparseSession],
  keys: [fullKey, sparseKey],
  replay: { outcome: 'seen' },
  provisioned: [
    {
      ...provisionedRecord(fullProvisioned),
      groups: [{ groupId: fullGroup.groupId, displayName: fullGroup.state.displayName }],
    },
    provisionedRecord(sparseProvisioned),
  ],
  changed: { ...provisionedRecord(provisioned('changed')), active: false, generation: 1, updatedAt: now, version: 2 },
  adopted: {
    ...provisionedRecord(provisioned('user-adopted')),
    externalId: 'adopted',
    adopted: true,
    createdAt: adoptable.createdAt,
    updatedAt: now,
    version: 2,
  },
  removedProvisioned: undefined,
  listed: 'listed',
  groups: [groupRecord(fullGroup), groupRecord(sparseGroup)],
  members: [[{ memberId: fullProvisioned.userId, type: 'User' }]],
  organization,
  membership,
  log: [logEntry],
  isTokenRevoked: true,
}
