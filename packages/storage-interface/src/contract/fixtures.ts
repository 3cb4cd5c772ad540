// One file, because the records refer to each other, such as the family of `aFamilyRecord` to the grant of `aGrantRecord`.
import type { AuthenticationRecord, AuthorizationCodeRecord } from '../authorization-code.ts'
import type { ClientRecord } from '../client.ts'
import type { GrantRecord } from '../grant.ts'
import {
  type SecretDigest,
  type UserId,
  clientId,
  familyId,
  grantId,
  keyId,
  secretDigest,
  sessionId,
  userId,
  type EpochSeconds,
  epochSeconds,
  seconds,
} from '../values.ts'
import type { InteractionLogin, InteractionRecord } from '../interaction.ts'
import type { OpaqueTokenRecord } from '../opaque-token.ts'
import type { PushedRequestRecord } from '../pushed-request.ts'
import type { SessionEnd, SessionJoin, SessionRecord } from '../session.ts'
import type { SigningKeyRecord } from '../signing-key.ts'
import type { RefreshRecord, RotateRequest, TokenFamilyRecord } from '../token-family.ts'
import type { NewUser } from '../user.ts'

/** When the fixtures were created. It is in the past, because a database that uses its own clock purges only past revocations. */
export const now: EpochSeconds = epochSeconds(1_700_000_000)

/** Returns the time this many seconds after `now`, or before it if negative. */
export const nowPlus = (secondsLater: number): EpochSeconds => epochSeconds(now + secondsLater)

/**
 * Returns a value shaped like a digest (43 characters of base64url). It differs for each label of letters, digits, `-` and
 * `_`.
 */
export const aDigest = (label: string): SecretDigest => secretDigest(label.padEnd(43, '_').slice(0, 43))

/** A confidential web client with one secret. It is not disabled. */
export const aClientRecord = (overrides: Partial<ClientRecord> = {}): ClientRecord => ({
  clientId: clientId('client-1'),
  clientName: 'Example Application',
  tokenEndpointAuthMethod: 'client_secret_basic',
  secrets: [{ digest: aDigest('client-secret-1'), createdAt: now, expiresAt: undefined, lastUsedAt: undefined }],
  jwks: undefined,
  jwksUri: undefined,
  redirectUris: ['https://app.example/callback'],
  grantTypes: ['authorization_code', 'refresh_token'],
  scopes: ['openid', 'profile', 'email', 'offline_access'],
  servedAudiences: [],
  idTokenSignedResponseAlg: 'RS256',
  userinfoSignedResponseAlg: undefined,
  defaultMaxAge: undefined,
  requireAuthTime: false,
  requirePkce: false,
  profile: 'standard',
  requirePushedAuthorizationRequests: false,
  origin: 'administrator',
  requestObjectSigningAlg: undefined,
  requireSignedRequestObject: false,
  authorizationSignedResponseAlg: undefined,
  introspectionSignedResponseAlg: undefined,
  idTokenEncryptedResponseAlg: undefined,
  idTokenEncryptedResponseEnc: undefined,
  userinfoEncryptedResponseAlg: undefined,
  userinfoEncryptedResponseEnc: undefined,
  introspectionEncryptedResponseAlg: undefined,
  authorizationEncryptedResponseAlg: undefined,
  authorizationEncryptedResponseEnc: undefined,
  introspectionEncryptedResponseEnc: undefined,
  dpopBoundAccessTokens: false,
  tlsClientCertificateBoundAccessTokens: false,
  tlsClientAuthSubjectDn: undefined,
  tlsClientAuthSanDns: undefined,
  tlsClientAuthSanUri: undefined,
  tlsClientAuthSanIp: undefined,
  tlsClientAuthSanEmail: undefined,
  selfManagement: undefined,
  clientUri: undefined,
  workload: undefined,
  crossAppAudiences: undefined,
  policyUri: undefined,
  tosUri: undefined,
  logoUri: undefined,
  initiateLoginUri: undefined,
  documentDigest: undefined,
  documentReadAt: undefined,
  allowTokenEndpointAudience: false,
  allowSchemesWithoutDot: false,
  resources: undefined,
  authorizationDetailsTypes: [],
  postLogoutRedirectUris: [],
  backchannelLogoutUri: undefined,
  backchannelLogoutSessionRequired: false,
  frontchannelLogoutUri: undefined,
  frontchannelLogoutSessionRequired: false,
  backchannelTokenDeliveryMode: undefined,
  backchannelClientNotificationEndpoint: undefined,
  backchannelAuthenticationRequestSigningAlg: undefined,
  backchannelUserCodeParameter: false,
  subjectType: 'public',
  sectorIdentifierUri: undefined,
  organizationId: undefined,
  agent: undefined,
  disabledAt: undefined,
  createdAt: now,
  version: 1,
  ...overrides,
})

/** A new user. The store makes the user active, with generation 0 and version 1. */
export const aUser = (overrides: Partial<NewUser> = {}): NewUser => ({
  userId: userId('user-1'),
  claims: {
    name: 'Ada Example',
    given_name: 'Ada',
    family_name: 'Example',
    email: 'ada@example.com',
    email_verified: true,
  },
  createdAt: now,
  ...overrides,
})

/** An unrevoked grant of `aUser` to `aClientRecord`. */
export const aGrantRecord = (overrides: Partial<GrantRecord> = {}): GrantRecord => ({
  grantId: grantId('grant-1'),
  clientId: clientId('client-1'),
  userId: userId('user-1'),
  userGeneration: 0,
  scopes: ['openid', 'profile'],
  resources: [],
  authorizationDetails: [],
  clientDigest: undefined,
  createdAt: now,
  revokedAt: undefined,
  version: 1,
  ...overrides,
})

export const anAuthentication = (overrides: Partial<AuthenticationRecord> = {}): AuthenticationRecord => ({
  authTime: nowPlus(-120),
  acr: 'urn:example:gold',
  amr: ['pwd', 'otp'],
  sessionId: sessionId('session-1'),
  sessionExpiresAt: undefined,
  ...overrides,
})

/** A code of `aGrantRecord`, valid for a minute. */
export const aCodeRecord = (overrides: Partial<AuthorizationCodeRecord> = {}): AuthorizationCodeRecord => ({
  digest: aDigest('code-1'),
  clientId: clientId('client-1'),
  grantId: grantId('grant-1'),
  familyId: familyId('family-1'),
  userId: userId('user-1'),
  redirectUri: 'https://app.example/callback',
  scopes: ['openid', 'profile'],
  resources: [],
  nonce: 'n-0S6_WzA2Mj',
  codeChallengeMethod: 'S256',
  codeChallenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
  claimsRequest: undefined,
  authentication: anAuthentication(),
  boundSessionId: undefined,
  possession: { kind: 'none' },
  organizationId: undefined,
  authorizationDetails: [],
  issuedAt: now,
  expiresAt: nowPlus(60),
  ...overrides,
})

/** An active family of `aGrantRecord` whose first refresh token, `aDigest('refresh-1')`, has not been rotated. */
export const aFamilyRecord = (overrides: Partial<TokenFamilyRecord> = {}): TokenFamilyRecord => ({
  familyId: familyId('family-1'),
  grantId: grantId('grant-1'),
  clientId: clientId('client-1'),
  userId: userId('user-1'),
  scopes: ['openid', 'profile', 'offline_access'],
  resources: [],
  claimsRequest: undefined,
  authentication: anAuthentication(),
  boundSessionId: undefined,
  possession: { kind: 'none' },
  organizationId: undefined,
  authorizationDetails: [],
  lineage: undefined,
  refresh: aRefreshRecord(),
  createdAt: now,
  expiresAt: nowPlus(30 * 86_400),
  revokedAt: undefined,
  ...overrides,
})

export const aRefreshRecord = (overrides: Partial<RefreshRecord> = {}): RefreshRecord => ({
  handleDigest: aDigest('handle-1'),
  currentDigest: aDigest('refresh-1'),
  previousDigest: undefined,
  successorSalt: undefined,
  rotatedAt: undefined,
  retriedAt: undefined,
  expiresAt: nowPlus(86_400),
  ...overrides,
})

/** Returns a refresh token of `aFamilyRecord`, presented by its client for a successor, with a window of ten seconds. */
export const aPresentation = (token: string, successor: string): RotateRequest => ({
  handleDigest: aDigest('handle-1'),
  presentedDigest: aDigest(token),
  clientId: aFamilyRecord().clientId,
  successorDigest: aDigest(successor),
  successorSalt: `salt of ${successor}`,
  expiresAt: aFamilyRecord().expiresAt,
  now,
  retryWindow: seconds(10),
})

/** An access token of `aFamilyRecord`, valid for five minutes. */
export const anOpaqueTokenRecord = (overrides: Partial<OpaqueTokenRecord> = {}): OpaqueTokenRecord => ({
  digest: aDigest('opaque-1'),
  clientId: clientId('client-1'),
  familyId: familyId('family-1'),
  claims: { sub: 'user-1', aud: 'https://api.example', scope: 'openid', iat: now },
  expiresAt: nowPlus(300),
  revokedAt: undefined,
  ...overrides,
})

/** An open interaction that no user has signed in to yet, valid for an hour. */
export const anInteractionRecord = (overrides: Partial<InteractionRecord> = {}): InteractionRecord => ({
  digest: aDigest('interaction-1'),
  browserDigest: aDigest('browser-1'),
  clientId: clientId('client-1'),
  parameters: {
    client_id: 'client-1',
    response_type: 'code',
    redirect_uri: 'https://app.example/callback',
    scope: 'openid profile',
    state: 'af0ifjsldkj',
  },
  resources: [],
  login: undefined,
  createdAt: now,
  expiresAt: nowPlus(3600),
  version: 1,
  ...overrides,
})

/** A pushed authorization request. A browser may begin with it for a minute, and complete it for half an hour after that. */
export const aPushedRequestRecord = (overrides: Partial<PushedRequestRecord> = {}): PushedRequestRecord => ({
  digest: aDigest('pushed-1'),
  clientId: clientId('client-1'),
  parameters: anInteractionRecord().parameters,
  resources: [],
  usableUntil: nowPlus(60),
  createdAt: now,
  expiresAt: nowPlus(1860),
  ...overrides,
})

export const aLogin = (overrides: Partial<InteractionLogin> = {}): InteractionLogin => ({
  userId: userId('user-1'),
  userGeneration: 0,
  authentication: anAuthentication(),
  inSession: true,
  ...overrides,
})

/** An active session of `aUser`, with a cookie. */
export const aSessionRecord = (overrides: Partial<CookieSession> = {}): CookieSession => ({
  sessionId: sessionId('session-1'),
  userId: userId('user-1'),
  userGeneration: 0,
  digest: aDigest('session-1'),
  authTime: nowPlus(-120),
  acr: undefined,
  amr: ['pwd'],
  userAgent: undefined,
  location: undefined,
  createdAt: now,
  lastSeenAt: now,
  idleExpiresAt: nowPlus(3600),
  expiresAt: nowPlus(86_400),
  keptUntil: now,
  revokedAt: undefined,
  endReason: undefined,
  ...overrides,
})

/** A session with a cookie: its user, its digest and its expiries are present. */
type CookieSession = SessionRecord & {
  readonly userId: UserId
  readonly digest: SecretDigest
  readonly idleExpiresAt: EpochSeconds
  readonly expiresAt: EpochSeconds
}

/** The join of the first client to the session of `aSessionRecord`, which is kept for a week. */
export const aJoin = (overrides: Partial<SessionJoin['session'] & Omit<SessionJoin, 'session'>> = {}): SessionJoin => {
  const { sessionId, userId, userGeneration, authTime, acr, amr, userAgent, location } = aSessionRecord()
  const { clientId: client = clientId('client-1'), now: at = now, ...session } = overrides
  const defaults = { sessionId, userId, userGeneration, authTime, acr, amr, userAgent, location }
  return { session: { ...defaults, keptUntil: nowPlus(604_800), ...session }, clientId: client, now: at }
}

/** The end of the session of `aSessionRecord` by its user. */
export const aSessionEnd = (overrides: Partial<SessionEnd> = {}): SessionEnd => ({
  sessionId: sessionId('session-1'),
  reason: 'user',
  now,
  tombstoneUntil: undefined,
  ...overrides,
})

/** The first ES256 key. Its members only look like a key; nothing can be signed with it. */
export const aSigningKeyRecord = (overrides: Partial<SigningKeyRecord> = {}): SigningKeyRecord => ({
  keyId: keyId('key-1'),
  algorithm: 'ES256',
  ordinal: 1,
  publicJwk: {
    kty: 'EC',
    crv: 'P-256',
    x: 'xA7ScRcvKPxCnbDX2dv1w1cNGZUWKhPz3eOfJeKw9v0',
    y: 'kf2z3PBQhTzTJKQh6oXQ0K1cRkh3Lu0dF9pBvJ0Zy9E',
  },
  vaultEntry: 'sealing-1.c2VhbGVkLXByaXZhdGUtandr',
  createdAt: now,
  signsFrom: now,
  droppedAt: undefined,
  rowMac: 'cm93LW1hYw',
  ...overrides,
})
