// Over 250 lines: all dependencies of a server are created here, and nowhere else.
import {
  type Capacity,
  createCapacity,
  drawInBlocks,
  randomIdentifiers,
  systemClock,
  systemRandom,
} from '@mintmark/internal'
import { createBrowsers } from './sessions/browser.ts'
import type { CompleteInteractionDependencies } from './authorize/interaction-step.ts'
import type { AuthorizationEndpointDependencies } from './authorize/endpoint.ts'
import type { PushEndpointDependencies } from './authorize/pushed-request.ts'
import type { CibaEndpointDependencies } from './decoupled/ciba-endpoint.ts'
import { createNotificationSeal } from './decoupled/notification.ts'
import type { DeviceEndpointDependencies } from './decoupled/device-endpoint.ts'
import { deviceLimits } from './decoupled/device-limits.ts'
import type { DevicePagesDependencies } from './decoupled/device-pages.ts'
import { deliverAfterRequests } from './delivery/deliver-after-requests.ts'
import { createInteractionSeal } from './authorize/sealed-interaction.ts'
import { createPushSeal } from './authorize/sealed-push.ts'
import { toClientAuthentication } from './clients/own-authentication.ts'
import { clientSecretBasic, clientSecretPost, publicClient, privateKeyJwt } from './clients/methods.ts'
import { type OAuthStorage, seconds } from '@mintmark/storage-interface'
import type { SessionId } from '@mintmark/storage-interface/stores'
import { createDeliveries, sendsAfterRequests } from './delivery-worker.ts'
import type { DeliveryWorker, DeliveryWorkerDependencies } from './delivery/worker.ts'
import { encryptAnswer } from './clients/encrypt-answer.ts'
import { createClientDocuments } from './clients/client-documents.ts'
import { createDocumentReaders } from './clients/document-reader.ts'
import { createOpenClients, type OpenRegistration } from './clients/open-registration.ts'
import { type ClientLogos, createClientLogos } from './clients/logo.ts'
import { createRemoteKeySets, type RemoteKeySets } from './clients/remote-key-set.ts'
import { createOutboundClient, documentBreaker, documentLimits } from './outbound/client.ts'
import { createReportOfMissingPages } from './authorize/missing-pages.ts'
import { openJournal } from './events.ts'
import { reportOnce } from './tokens/report-unreleased.ts'
import { createVerifiedJwts } from './keys/verify-jwt.ts'
import type { LogoutEndpointDependencies, LogoutSettings } from './logout/endpoint.ts'
import type { AuthorizationServerOptions } from './options.ts'
import { purgeOnEvents } from './purge.ts'
import { createMemoryRateLimiter } from './rate-limiter.ts'
import { refuse } from './refusals.ts'
import { readHostUsers } from './sessions/host-users.ts'
import { checkedSessions } from './sessions/signed-in-user.ts'
import { createDpopVerifier } from './sender/prove-possession.ts'
import { type ServerSettings } from './settings.ts'
import { reportFaults } from './telemetry.ts'
import type { TokenEndpointDependencies } from './token/endpoint.ts'
import { authorizationCodeGrant } from './token/grants/authorization-code.ts'
import { tokenExchangeGrants } from './token/grants/token-exchange.ts'
import { clientCredentialsGrant } from './token/grants/client-credentials.ts'
import { cibaGrant, deviceCodeGrant } from './token/grants/decoupled.ts'
import { jwtBearerGrants } from './token/grants/jwt-bearer.ts'
import { refreshTokenGrant } from './token/grants/refresh-token.ts'
import type { TokenTargetDependencies } from './permissions/resources.ts'
import { createRevocationNames } from './tokens/access-token.ts'
import type { GrantType } from './tokens/grant.ts'
import { createRevocationFeed, type RevocationFeed, watchRevocations } from './tokens/feed-watch.ts'
import type { IntrospectionEndpointDependencies } from './tokens/introspection.ts'
import type { RevocationEndpointDependencies } from './tokens/revocation.ts'
import type { GrantsEndpointDependencies } from './tokens/grant-management.ts'
import type { UserinfoEndpointDependencies } from './tokens/userinfo.ts'

/** Everything that the endpoints depend on, created once per server. */
export type ServerDependencies = AuthorizationEndpointDependencies &
  CompleteInteractionDependencies &
  PushEndpointDependencies &
  DeviceEndpointDependencies &
  DevicePagesDependencies &
  CibaEndpointDependencies &
  TokenEndpointDependencies &
  IntrospectionEndpointDependencies &
  RevocationEndpointDependencies &
  UserinfoEndpointDependencies &
  GrantsEndpointDependencies &
  LogoutEndpointDependencies & {
    /** `undefined` without the option: clients cannot sign users out. */
    readonly logout: LogoutSettings | undefined
    readonly discovery: ServerSettings['discovery']
    /** Whether clients may query and revoke grants. */
    readonly managesGrants: boolean
    /** Whether clients may describe themselves. */
    readonly acceptsClientDocuments: boolean
    readonly crossAppAccess: ServerSettings['crossAppAccess']
    readonly openRegistration: OpenRegistration | undefined
    readonly clientLogos: ClientLogos
    readonly pages: AuthorizationServerOptions['pages']
    readonly device: AuthorizationServerOptions['device']
    readonly ciba: AuthorizationServerOptions['ciba']
    readonly revocationFeed: RevocationFeed | undefined
    /** Bounds the requests that are worked on at the same time. */
    readonly capacity: Capacity
    /** Whether clients get logout tokens. */
    readonly sendsLogouts: boolean
    /** `undefined` when there is nothing to send. */
    readonly delivery: DeliveryWorker | undefined
  }

export function serverDependencies(options: AuthorizationServerOptions, settings: ServerSettings): ServerDependencies {
  const { storage: stored, keys } = options
  const { detailTypes, minimumProfile, rotation, retryWindow } = settings
  const mutualTls = options.mutualTls && { aliasOrigin: undefined, ...options.mutualTls }
  const { issuer, lifetimes, scopes, resources, feedRetention: retention, allowedOrigins } = settings
  const limits = options.rateLimits ?? {}
  const listener = options.onEvent ?? reportFaults(console)
  const clock = options.clock ?? systemClock
  const random = options.random ?? drawInBlocks(systemRandom, clock)
  const capacity = createCapacity({
    maximum: settings.maxConcurrentRequests,
    refuse: () => refuse('server_busy', {}, { retryAfter: seconds(1) }),
  })
  const createKeySets = () =>
    createRemoteKeySets(() => createOutboundClient(options.fetch, { ...documentLimits, allowedOrigins }))
  const remoteKeySets = createKeySets()
  const keySets = outsideCapacity(remoteKeySets, capacity)
  const assertionKeySets = outsideCapacity(createKeySets(), capacity)
  const target: TokenTargetDependencies = { ...settings, accessTokenLifetime: lifetimes.accessToken }
  const verifiedJwts = createVerifiedJwts()
  const revocationNames = createRevocationNames(keys)
  const watch = watchRevocations(stored.revocations)
  const purgingListener =
    settings.purge === undefined
      ? listener
      : purgeOnEvents(listener, { storage: stored, clock, settings: settings.purge })
  const deliveringListener = deliverAfterRequests(purgingListener, { worker: () => delivery, clock })
  const journal = openJournal(sendsAfterRequests(options) ? deliveringListener : purgingListener, { clock, random })
  const onSessionEnded = (sessionId: SessionId): void =>
    journal.recordWithoutRequest({ type: 'session.ended', sessionId, reason: 'host' })
  const storage: OAuthStorage =
    options.users === undefined
      ? stored
      : { ...stored, ...readHostUsers(options.users, stored, { clock, onSessionEnded }) }
  const encrypt: DeliveryWorkerDependencies['encrypt'] = (jwt, to) =>
    encryptAnswer(jwt, { answer: 'idToken', ...to }, remoteKeySets)
  const notificationSeal = createNotificationSeal({ issuer, keys, random })
  const { worker: delivery, pings } = createDeliveries(options, settings, {
    clock,
    random,
    journal,
    watch,
    encrypt,
    notificationSeal,
  })
  const claims = {
    scopes,
    storage,
    storedStatus: stored.status,
    mapClaims: options.claims,
    apiClaims: settings.apiClaims,
    readsHostUsers: options.users !== undefined,
    reportUnreleased: reportOnce((unreleased) =>
      journal.recordWithoutRequest({ type: 'claims.unreleased', ...unreleased }),
    ),
  }
  const openClients = createOpenClients(settings.openRegistration, { issuer, keys, minimumProfile })
  const grantDeps = { ...target, detailTypes, ...claims, random, lifetimes, rotation, retryWindow, minimumProfile }

  return {
    issuer,
    ...claims,
    detailTypes,
    keys,
    verifiedJwts,
    random,
    clock,
    journal,
    delivery,
    capacity,
    signedIn: checkedSessions(options.signedIn),
    mutualTls,
    dpop: createDpopVerifier({
      issuer,
      keys,
      storage,
      nonces: settings.dpopNonces,
      aliasOrigin: mutualTls?.aliasOrigin,
    }),
    discovery: settings.discovery,
    browsers: createBrowsers({ issuer, keys, random }),
    interactionUrls: settings.interactionUrls,
    reportMissingPages: createReportOfMissingPages(options, { journal, url: settings.interactionUrls.login }),
    resources,
    pages: options.pages,
    device: options.device,
    deviceCodeLifetime: lifetimes.deviceCode,
    ...deviceLimits(limits),
    ciba: options.ciba,
    backchannelRequestLifetime: lifetimes.backchannelRequest,
    ...requestLimits(limits, lifetimes),
    notificationSeal,
    pings,
    sendsLogouts: settings.backChannelLogout,
    logout: options.logout && { frontChannel: false, ...options.logout },
    revocationFeed:
      retention === undefined
        ? undefined
        : createRevocationFeed({ revocations: storage.revocations, retention, names: revocationNames }, watch),
    rules: {
      issuer,
      managesGrants: settings.managesGrants,
      keys,
      verifiedJwts,
      scopes,
      detailTypes,
      defaultAudience: settings.defaultAudience,
      resources,
      identityScopes: settings.identityScopes,
      requirePushedRequests: settings.requirePushedRequests,
      acrRanks: settings.acrRanks,
      minimumProfile,
      storage,
    },
    keySets,
    acceptsClientDocuments: settings.clientDocuments !== undefined,
    openRegistration: settings.openRegistration && openClients,
    clientDocuments: createClientDocuments(settings.clientDocuments, {
      storage,
      readers: createDocumentReaders(options.fetch, { capacity, allowedOrigins }),
      openClients,
      allowedOrigins,
    }),
    clientLogos: createClientLogos({
      capacity,
      outbound: createOutboundClient(options.fetch, { ...documentLimits, breaker: documentBreaker, allowedOrigins }),
      fetches: {
        ofClient: createMemoryRateLimiter({ points: 12, window: 3600 }),
        inTotal: createMemoryRateLimiter({ points: 60, window: 60 }),
      },
    }),
    minimumProfile,
    clientAuthentication: [
      clientSecretBasic,
      clientSecretPost,
      privateKeyJwt({ issuer, storage, keySets, minimumProfile, mutualTls }),
      publicClient({ mutualTls, keySets }),
      ...(options.clientAuthentication ?? []).map(toClientAuthentication),
    ],
    seal: createInteractionSeal({ issuer, keys, random }),
    pushSeal: createPushSeal({ issuer, keys, random }),
    grants: grantTypes(options, settings, { ...grantDeps, keys, verifiedJwts, assertionKeySets }),
    managesGrants: settings.managesGrants,
    crossAppAccess: settings.crossAppAccess,
    accessTokenAlgorithm: settings.accessTokenAlgorithm,
    revocationNames,
    newTokenId: randomIdentifiers(random),
    mayAct: new Map(Object.entries(options.tokenExchange?.mayAct ?? {})),
    idTokenLifetime: lifetimes.idToken,
    interactionLifetime: lifetimes.interaction,
    pushedRequestLifetime: lifetimes.pushedRequest,
    codeLifetime: lifetimes.authorizationCode,
    sessionBoundTokens: settings.sessionBoundTokens,
    sessionRetention: settings.sessionRetention,
  }
}

/** Returns the limits that the host has not replaced (option `rateLimits`). */
const requestLimits = (
  limits: NonNullable<AuthorizationServerOptions['rateLimits']>,
  lifetimes: ServerSettings['lifetimes'],
) => ({
  backchannelLimits: {
    ofClient: limits.backchannelRequests ?? createMemoryRateLimiter({ points: 600, window: 60 }),
    ofUser: limits.backchannelRequestsOfUser ?? createMemoryRateLimiter({ points: 3, window: 60 }),
  },
  failedAuthentications: limits.failedAuthentications ?? createMemoryRateLimiter({ points: 100, window: 60 }),
  interactionLimits: {
    startedInteractions: limits.startedInteractions ?? createMemoryRateLimiter({ points: 100, window: 600 }),
    interactionsOfNewBrowsers:
      limits.interactionsOfNewBrowsers ?? createMemoryRateLimiter({ points: 30_000, window: 60 }),
    signInAttempts: limits.signInAttempts ?? createMemoryRateLimiter({ points: 50, window: lifetimes.interaction }),
  },
  pushLimits: {
    ofClient: limits.pushedRequests ?? createMemoryRateLimiter({ points: 6000, window: 60 }),
    ofStrangers: limits.pushedRequestsOfStrangers ?? createMemoryRateLimiter({ points: 30_000, window: 60 }),
  },
  logouts: limits.logouts ?? createMemoryRateLimiter({ points: 100, window: 60 }),
  issuedCodes: limits.issuedCodes ?? createMemoryRateLimiter({ points: 100, window: 60 }),
})

type GrantTypeDependencies = Parameters<typeof authorizationCodeGrant>[0] &
  Parameters<typeof clientCredentialsGrant>[0] &
  Omit<Parameters<typeof tokenExchangeGrants>[0], 'tokenExchange' | 'issuesIdJags'> &
  Omit<Parameters<typeof jwtBearerGrants>[0], 'assertions' | 'repetitions'>

/** Returns the grant types that the options turn on, and those of the host. */
const grantTypes = (
  options: AuthorizationServerOptions,
  settings: ServerSettings,
  deps: GrantTypeDependencies,
): readonly GrantType[] => [
  authorizationCodeGrant(deps),
  refreshTokenGrant(deps),
  clientCredentialsGrant(deps),
  ...tokenExchangeGrants({
    ...deps,
    tokenExchange: options.tokenExchange,
    issuesIdJags: settings.crossAppAccess.issues,
  }),
  ...(options.device === undefined ? [] : [deviceCodeGrant(deps)]),
  ...(options.ciba === undefined ? [] : [cibaGrant(deps)]),
  ...jwtBearerGrants({
    ...deps,
    assertions: {
      issuers: settings.assertionIssuers,
      acceptsDirectories: settings.crossAppAccess.accepts,
    },
    repetitions: createMemoryRateLimiter({ points: 10, window: 60 }),
  }),
  ...(options.grants ?? []),
]

/** A request that waits for the keys of somebody else leaves its place to others. */
const outsideCapacity = (keySets: RemoteKeySets, capacity: Capacity): RemoteKeySets => ({
  read: (client, ...given) => capacity.outside(`keys ${client.jwksUri}`, () => keySets.read(client, ...given)),
})
