// Over 250 lines: the documentation of all options of the authorization server, from which a page is generated.
import type { Clock, Header, Random, ServerRequest } from '@mintmark/internal'
import type { OAuthStorage } from '@mintmark/storage-interface'
import type { AuthorizationDetailType } from './permissions/detail-types.ts'
import type { RenderDevicePage } from './authorize/device-page.ts'
import type { PendingApproval } from './decoupled/approval.ts'
import type { HintedUser, UserHint } from './decoupled/ciba-endpoint.ts'
import type { InteractionPage } from './authorize/pending-interaction.ts'
import type { RenderErrorPage } from './errors.ts'
import type { EventListener } from './events.ts'
import type { ClientAuthenticationMethod } from './clients/own-authentication.ts'
import type { ProvisioningSender } from './delivery/send-webhook.ts'
import type { KeyRing, SigningAlgorithm } from './keys/ring.ts'
import type { RenderLogoutPage } from './logout/page.ts'
import type { RateLimiter } from './rate-limiter.ts'
import type { ReadClientCertificate } from './sender/client-certificate.ts'
import type { HostUsers } from './sessions/host-users.ts'
import type { SignedIn } from './sessions/signed-in-user.ts'
import type { AssertionIssuer } from './permissions/assertion-issuers.ts'
import type { TokenExchangeSettings } from './permissions/exchange-policy.ts'
import type { GrantType } from './tokens/grant.ts'
import type { ClaimValues } from './tokens/api-claims.ts'
import type { MapClaims } from './tokens/claims.ts'

/** The options of `createAuthorizationServer`. Four of them are required. */
export interface AuthorizationServerOptions {
  /** The server's public address (RFC 8414 §2): https, or http on loopback. It may have a path. */
  readonly issuer: string
  /** The storage. It must be bound to the same issuer. */
  readonly storage: OAuthStorage
  /** The signing keys: `createStoredKeys(…)`, or your own key ring. */
  readonly keys: KeyRing
  /** Returns the user who is signed in to the host in this browser, if any. The authorization endpoint calls it. */
  readonly signedIn: (request: ServerRequest) => Promise<SignedIn | undefined>

  /**
   * The host's login and consent pages, served at the addresses in `interaction`. Leave them out if the host's own
   * framework serves them, use `interaction(request)` there, and set `interaction.loginUrl`. Without either, the event
   * `pages.missing` is emitted when the first user is sent to the sign-in page.
   * @defaultValue None. The host's own framework serves them.
   */
  readonly pages?: {
    /** Signs the user in. */
    readonly login: InteractionPage
    /** Asks the user for consent. */
    readonly consent: InteractionPage
    /**
     * Asks a signed-in user which account to continue with, when a client requests it (`prompt=select_account`, OIDC
     * Core §3.1.2.1).
     * @defaultValue None. The user then signs in again.
     */
    readonly selectAccount?: InteractionPage
  }
  /**
   * Lets clients sign users out: the endpoint `/session/end` (RP-Initiated Logout 1.0).
   * @defaultValue None. Clients can end only their own sessions, because the server cannot end the host's session.
   */
  readonly logout?: {
    /**
     * Ends the host's session in the browser that sent the request. Returns the headers that remove its cookies. With
     * `createCookieSessions` it is `sessions.end`.
     */
    readonly endSession: (request: ServerRequest) => Promise<readonly Header[]>
    /**
     * Renders the pages that ask a user whether to sign out, and that confirm it: `logoutPage` of `@mintmark/pages`.
     */
    readonly renderPage: RenderLogoutPage
    /**
     * Whether browsers load the front-channel logout addresses of clients in frames when a user signs out
     * (Front-Channel Logout 1.0).
     * @defaultValue `false`. Browsers that block third-party cookies make it unreliable; back-channel logout is not.
     */
    readonly frontChannel?: boolean
  }
  /**
   * Lets clients on devices without a browser or a keyboard, such as command line tools and TVs, show a code with which a
   * user approves the sign-in in a browser (RFC 8628): the endpoint `/device/authorization` and the page `/device`.
   * Clients must be registered for the grant type `urn:ietf:params:oauth:grant-type:device_code`. The storage needs
   * `decoupledRequests`.
   * @defaultValue None. An attacker can send a user a code of their own, so each server decides whether it needs codes.
   */
  readonly device?: {
    /** Renders the pages on which a user enters a code and confirms it: `devicePage` of `@mintmark/pages`. */
    readonly renderPage: RenderDevicePage
    /**
     * Returns where a request of a device came from, such as a town, for the page that asks the user whether it is their
     * own. At most 200 characters are kept.
     * @defaultValue None. Only the host knows the address of a client behind its proxies.
     */
    readonly location?: (request: ServerRequest) => string | undefined
    /**
     * Returns the IP address of a browser, so that wrong codes are counted for each address too.
     * @defaultValue None. Wrong codes are counted for each browser, and for all together.
     */
    readonly address?: (request: ServerRequest) => string | undefined
  }
  /**
   * Lets clients name a user, whom the host then asks to approve the request, for example with a push message to the
   * user's phone (CIBA Core 1.0): the endpoint `/bc-authorize`, in the delivery modes `poll` and `ping`. Clients
   * authenticate, and are registered for the grant type `urn:openid:params:grant-type:ciba`. The storage needs
   * `decoupledRequests`; for `ping` it also keeps deliveries.
   * @defaultValue None. A client can disturb any user whom it can name, so each server decides who may do so.
   */
  readonly ciba?: {
    /**
     * Finds the user whom the client names in `login_hint` or in `login_hint_token`, whose format the host defines and
     * whose signature it verifies. The server itself reads an `id_token_hint`. If the user is `unknown`, the client learns
     * it, so answer a guess like a mistake. A token that has `expired` has its own error code.
     */
    readonly findUser: (hint: UserHint) => Promise<HintedUser>
    /**
     * Asks the user, and does not wait for the answer. `pending` says what to ask and has the functions `approve` and
     * `deny`; later, `server.approval(pending.id, subject)` returns the same. The client gets its response after this
     * promise resolves. If it rejects, the request ends, and the client learns that the server failed.
     */
    readonly askUser: (pending: PendingApproval) => Promise<void>
    /**
     * Returns whether the `user_code` of the request is that of the user; `undefined` if the request has none, which may
     * be right for a user without a code. It is called for clients with `backchannelUserCodeParameter`, and whenever a
     * request has a code.
     * @defaultValue None. Codes are not supported, and are ignored (CIBA Core 1.0 §7.1).
     */
    readonly verifyUserCode?: (subject: string, code: string | undefined) => Promise<boolean>
    /**
     * Returns where a request came from, such as a town, for the user who decides. At most 200 characters are kept.
     * @defaultValue None. Requests usually come from the servers of the client, whose place says nothing.
     */
    readonly location?: (request: ServerRequest) => string | undefined
  }
  /**
   * Tells clients that a session of one of their users was revoked (Back-Channel Logout 1.0): clients that have
   * registered a `backchannel_logout_uri` get logout tokens. The server sends them after the sign-out, and repeats failed
   * ones while it answers requests. `server.deliver` or `server.deliverOnce` sends them also when no request comes, and
   * those of revocations by other processes at once. `false` sends none.
   * @defaultValue On, if the storage has `deliveries` and `cursors`. A user who signs out expects to be signed out
   * everywhere.
   */
  readonly backChannelLogout?:
    | {
        /**
         * Keeps the process alive for deliveries that begin after a request while `deliver` does not run: `waitUntil` of
         * `cloudflare:workers`.
         * @defaultValue None. A process that keeps running needs none.
         */
        readonly waitUntil?: (work: Promise<unknown>) => void
        /**
         * Whether messages are sent after requests while `deliver` does not run.
         * @defaultValue `true`. `false` leaves all to `deliver` and `deliverOnce`, for instance of another process.
         */
        readonly afterRequests?: boolean
      }
    | false
  /** The addresses of the host's pages, absolute or relative to the issuer's address. */
  readonly interaction?: {
    /**
     * Where a user signs in.
     * @defaultValue `/login` below the issuer. One prefix then routes everything.
     */
    readonly loginUrl?: string
    /**
     * Where a user consents.
     * @defaultValue `/consent` below the issuer. One prefix then routes everything.
     */
    readonly consentUrl?: string
    /**
     * Where a user chooses an account.
     * @defaultValue `/select-account` below the issuer, if `pages.selectAccount` is set. Otherwise users sign in again.
     */
    readonly selectAccountUrl?: string
  }
  /**
   * Scope values in addition to the scope values of OpenID Connect: a sentence for the consent page, or the sentence
   * and the claims that the scope releases.
   * @defaultValue None. The scope values of OpenID Connect are always available.
   */
  readonly scopes?: Readonly<Record<string, string | ScopeOption>>
  /**
   * The APIs that access tokens may be meant for, by their identifier (RFC 8707): an absolute URI without fragment,
   * other than the issuer.
   * @defaultValue None. Access tokens are then meant for `defaultAudience`.
   */
  readonly resources?: Readonly<Record<string, ResourceOption>>
  /**
   * The types of authorization details (RFC 9396), made with `defineDetailType`. With them, clients request permissions
   * that scope values cannot describe, such as one payment. Clients must be registered for a type.
   * @defaultValue None. Requests with `authorization_details` are refused, because ignoring them would grant something
   *   else.
   */
  readonly authorizationDetails?: Readonly<Record<string, AuthorizationDetailType>>
  /**
   * The `aud` of access tokens when the request names no resource, and its scope values do not determine exactly one
   * resource. It must not be among `resources`, because clients need neither registration nor consent for an API to get
   * tokens for it.
   * @defaultValue The issuer. A token has an audience even when the request names no resource (RFC 9068 §3).
   */
  readonly defaultAudience?: string
  /**
   * The host's own grant types, made with `defineGrant`, in addition to `authorization_code`, `refresh_token` and
   * `client_credentials`. Their names are absolute URIs (RFC 6749 §4.5).
   * @defaultValue None. Each grant type is one more way to get tokens.
   */
  readonly grants?: readonly GrantType[]
  /**
   * Which clients may exchange access tokens of users for others, to act on behalf of the users (RFC 8693). The clients
   * must be registered for the grant `urn:ietf:params:oauth:grant-type:token-exchange`.
   * @defaultValue None, and the grant does not exist. APIs that read the revocation feed need a version that knows it.
   */
  readonly tokenExchange?: TokenExchangeSettings
  /**
   * Other issuers whose JWTs about users clients may present for access tokens (RFC 7523 §2.1). The clients must be
   * registered for the grant `urn:ietf:params:oauth:grant-type:jwt-bearer`. Each JWT is accepted once, and there are no
   * refresh tokens.
   * @defaultValue None. Whoever holds the key of an issuer can act for each of its users.
   */
  readonly jwtBearer?: {
    /** The issuers, each once. Keys are read only from these. */
    readonly issuers: readonly AssertionIssuer[]
  }
  /**
   * Cross-app access: identity providers of customers let clients act for their users at another service, with ID-JAGs
   * (draft-ietf-oauth-identity-assertion-authz-grant). It is a draft, and may change with any version.
   */
  readonly crossAppAccess?: {
    /**
     * Whether directories may let clients act for their users here: those whose connection has
     * `assertions.crossAppAccess`. The storage needs `identityProviders` and `provisionedUsers`.
     * @defaultValue `false`. An identity provider then decides which clients act for its users.
     */
    readonly accepts?: boolean
    /**
     * Whether clients get ID-JAGs for other authorization servers, where they then act for the users of this server: those
     * that an administrator has registered with `crossAppAudiences`, and for the grant
     * `urn:ietf:params:oauth:grant-type:token-exchange`.
     * @defaultValue `false`. The other server trusts every ID-JAG of this one.
     */
    readonly issues?: boolean
  }
  /**
   * The host's own client authentication methods, such as a workload identity, in addition to the standard ones. Their
   * names are absolute URIs (RFC 6749 §2.3.2), and clients are registered with them in code.
   * @defaultValue None. Each method is one more way to authenticate as a client.
   */
  readonly clientAuthentication?: readonly ClientAuthenticationMethod[]
  /**
   * Whether resource servers can learn within a second what was revoked, disabled or deactivated, by this process or
   * any other that uses the storage. Access tokens may then be valid for at most 690,900 seconds, five minutes less
   * than eight days.
   * @defaultValue `false`. An API that does not use introspection then accepts a revoked access token until it expires.
   */
  readonly revocationFeed?: boolean
  /**
   * Returns claims for ID tokens, userinfo, access tokens and introspection. The claims for ID tokens and userinfo add
   * to the user's stored claims or replace them. When it throws, nothing is issued, and the client can try again.
   * @defaultValue None. The stored claims are released unchanged, and access tokens have the claims of
   *   `accessTokenClaims`.
   */
  readonly claims?: MapClaims
  /**
   * Reads users from the host's own table for each sign-in, token, userinfo response and introspection. Storage then
   * keeps no copy of their data.
   * @defaultValue None. Users are in the storage: `users.upsert` and `mintmark user import` write them.
   */
  readonly users?: HostUsers
  /**
   * Whether clients can request tokens for one of the user's organizations, with the scope `organization` and the
   * parameter `organization`.
   * @defaultValue `false`. The host's consent page must let users with several organizations choose one.
   */
  readonly organizations?: boolean
  /** How large the host's claims in one access token may be. */
  readonly accessTokenClaimLimits?: {
    /**
     * The maximum number of values of each of the claims `roles`, `groups` and `entitlements`.
     * @defaultValue 100. If users have more, choose a narrower source, such as the groups of one product.
     */
    readonly values?: number
    /**
     * The maximum size of all these claims together, in bytes of JSON. It can be at most 65536.
     * @defaultValue 4096. The token then fits into the 8 KiB that many proxies accept for a header.
     */
    readonly bytes?: number
    /**
     * What happens to claims that exceed a limit. `refuse`: the request fails with the reason `claims_too_large`.
     * `omit`: `roles`, `groups` and `entitlements` that do not fit are left out, and the claim `claims_overflow` names
     * them.
     * @defaultValue `refuse`. An API that treats a missing claim like an empty one would decide wrongly.
     */
    readonly overflow?: 'refuse' | 'omit'
  }
  /**
   * The algorithm that signs access tokens.
   * @defaultValue The first algorithm of the key ring. With `createStoredKeys` that is ES256, whose signatures are
   * short and fast to create.
   */
  readonly accessTokenAlgorithm?: SigningAlgorithm
  /**
   * The authentication context classes (`acr`) that `signedIn` reports, weakest first, such as `['pwd', 'mfa']`. A
   * stronger one then satisfies a request for a weaker one, and a user whose session is too weak for `acr_values` signs
   * in again (RFC 9470 §5). `discovery.acrValues` lists them.
   * @defaultValue None. `acr_values` is a preference, and only an essential `acr` claim makes the user sign in again.
   */
  readonly acrRanks?: readonly string[]
  /**
   * Which access and refresh tokens are revoked together with the session in which they were requested: tokens without
   * `offline_access`, all tokens, or none.
   * @defaultValue `without_offline_access` (OIDC Back-Channel Logout 1.0 §2.7). A user who signs out expects to be
   * signed out of applications. A user who granted `offline_access` has consented that the application works without
   * them.
   */
  readonly sessionBoundTokens?: 'without_offline_access' | 'all' | 'none'
  /** Lifetimes in seconds, each at most a year. */
  readonly lifetimes?: Partial<Lifetimes>
  /**
   * Which refresh tokens are replaced with each use: the tokens of all clients, or only tokens of public clients that
   * are not bound to a key. Clients of FAPI 2.0 always keep their refresh tokens (FAPI 2.0 SP §5.3.2.1).
   * @defaultValue `always` (RFC 9700 §4.14.2). A copied token is noticed when both parties have used it.
   */
  readonly refreshTokenRotation?: 'always' | 'unbound_only'
  /**
   * For how many seconds after its rotation, at most 60, a refresh token can be sent again and returns the same new
   * refresh token. Each accepted repetition starts the window again, because its response can be lost too; six windows
   * after the rotation, all repetitions are refused.
   */
  readonly refreshRetryWindow?: {
    /**
     * For clients that authenticate.
     * @defaultValue 10. A server that lost the response retries at once.
     */
    readonly confidential?: number
    /**
     * For public clients.
     * @defaultValue 30. A phone loses its connection more often, and for longer.
     */
    readonly public?: number
  }
  /**
   * What discovery publishes about the host's own pages (OIDC Discovery §3).
   * @defaultValue Nothing. Only the host knows its pages.
   */
  readonly discovery?: DiscoveryOptions
  /**
   * Where the claims of the scope values `profile` and `email` are returned. Claims that a request names individually
   * are returned where it asks for them.
   * @defaultValue `id_token_and_userinfo`. Many clients read name and e-mail address from the ID token. With `userinfo`
   * the ID token has only protocol claims (OIDC Core §5.4).
   */
  readonly scopeClaims?: 'id_token_and_userinfo' | 'userinfo'
  /** Sender-constrained access tokens (DPoP, RFC 9449). Every client may use them. */
  readonly dpop?: {
    /**
     * Whether DPoP proofs need a nonce of the server (RFC 9449 §8). `required`: always. `offered`: only if the clock of
     * the client is wrong; other clients may use one. `off`: never.
     * @defaultValue `offered`. Proofs are accepted once and for a minute only, so a nonce adds little, and with
     * `required` each client repeats its first request.
     */
    readonly nonces?: 'required' | 'offered' | 'off'
  }
  /**
   * Certificates of clients (mutual TLS, RFC 8705): clients can authenticate with them, and have their access tokens
   * bound to them.
   * @defaultValue None. TLS usually ends at a proxy, and only the host knows how the proxy forwards certificates.
   */
  readonly mutualTls?: {
    /**
     * Returns the certificate of the client that sent a request: `peerCertificate` of `@mintmark/adapter-node` where
     * Node terminates TLS, `certificateFromHeader(…)` behind a proxy.
     */
    readonly certificate: ReadClientCertificate
    /**
     * The origin at which the TLS handshake asks for a certificate, such as `https://mtls.example.com`; discovery lists
     * its endpoints as `mtls_endpoint_aliases` (RFC 8705 §5). It serves the same paths.
     * @defaultValue None. The issuer's own origin asks for certificates, and browsers may ask users to choose one.
     */
    readonly aliasOrigin?: string
  }
  /**
   * Whether confidential clients may query and revoke the grants of their users (Grant Management for OAuth 2.0). Token
   * responses then have a `grant_id`, and `/grants/{grant_id}` accepts access tokens with the scope values
   * `grant_management_query` and `grant_management_revoke`.
   * @defaultValue `false`. The specification is a draft, and few clients use it.
   */
  readonly grantManagement?: boolean
  /**
   * Whether all clients must push their authorization requests (RFC 9126 §5). Otherwise only clients that are
   * registered with `requirePushedAuthorizationRequests` must.
   * @defaultValue `false`. Most clients cannot push requests.
   */
  readonly requirePushedAuthorizationRequests?: boolean
  /**
   * Accepts clients that nobody registered: their `client_id` is the https URL of a document with their metadata
   * (Client ID Metadata Document), which the server fetches. The consent page shows them as not verified.
   * @defaultValue Off. Only registered clients are accepted, and strangers cannot make the server fetch anything.
   */
  readonly clientDocuments?: {
    /**
     * The allowed documents: a list of host names and complete URLs, a function that decides, or `*` for every host.
     */
    readonly allow: '*' | readonly string[] | ((url: URL) => boolean | Promise<boolean>)
    /**
     * The scope values that these clients may request.
     * @defaultValue `['openid']`. It identifies the user without any further claims.
     */
    readonly scopes?: readonly string[]
    /**
     * Where users may be redirected: only to the origin of the document, to programs on the user's device as well, or
     * to every https address in the document. Other redirect URIs in it are ignored.
     * @defaultValue `loopback_and_same_origin`. Tools on the user's device need loopback, and a document proves control
     * only of its own origin.
     */
    readonly redirects?: 'same_origin' | 'loopback_and_same_origin' | 'any_https'
    /**
     * For how many seconds after its document was last read a client can still be used, if the document cannot be read.
     * @defaultValue 86400, a day. A short outage of the client's website then has no effect.
     */
    readonly staleFor?: number
  }
  /**
   * Accepts public clients that register themselves without a permission (RFC 7591 Appendix A.1.1), for programs that
   * know no other way, such as some MCP clients. Pass `server.openRegistration` to `createRegistrationServer`. Nothing is
   * stored until a user consents. The consent page shows these clients as not verified.
   * @defaultValue Off. Only registered clients are accepted.
   */
  readonly openRegistration?: {
    /**
     * The scope values that these clients may request.
     * @defaultValue `['openid']`. It identifies the user without any further claims.
     */
    readonly scopes?: readonly string[]
    /**
     * Where users may be redirected in addition to programs on their device: https hosts such as `claude.ai`, and the
     * schemes of apps, such as `cursor`. Other redirect URIs are not registered. Without a host or a scheme that is listed,
     * clients that are already in use are refused at once.
     * @defaultValue `[]`. Users are redirected only to loopback addresses.
     */
    readonly redirectHosts?: readonly string[]
  }
  /**
   * The security profile whose rules apply to every client, in addition to the rules of its own profile: `mcp` is the
   * authorization of the Model Context Protocol, `fapi2` is the FAPI 2.0 Security Profile, `ipsie_sl1` is the
   * OpenID Connect profile of IPSIE.
   * @defaultValue `standard`. Few clients can follow the rules of the other profiles.
   */
  readonly minimumProfile?: 'standard' | 'mcp' | 'fapi2' | 'fapi2_message_signing' | 'ipsie_sl1'
  /**
   * Provisions users and groups into the SCIM services of partners: `createProvisioning` of `@mintmark/provisioning`.
   * @defaultValue None. Partners are a decision of the host.
   */
  readonly provisioning?: ProvisioningSender
  /**
   * Renders the page that a user sees when an error cannot be returned to the client.
   * @defaultValue A plain page without style. It needs nothing from the host; `errorPage` of `@mintmark/pages` looks
   * better.
   */
  readonly renderErrorPage?: RenderErrorPage
  /**
   * Receives an event for everything that happened or was refused, with the reason. Pass `logEvents(logger)` to log
   * them: a logger such as pino gets each event with all its fields, and a `console` gets one line.
   * @defaultValue Failures inside the server, unsafe options and the first refusal go to the console; other events are
   * dropped. The operator sees what must be fixed, and logs do not fill up.
   */
  readonly onEvent?: EventListener
  /**
   * Deletes expired rows while the server is in use. `false` leaves it to a scheduled job: `storage.purge`, or
   * `mintmark purge`.
   * @defaultValue A batch each minute. Storage then does not grow without a scheduled job, and no request waits.
   */
  readonly purge?:
    | {
        /**
         * The interval in seconds. After a full batch, the next event continues at once.
         * @defaultValue 60. Frequent enough that batches stay small.
         */
        readonly every?: number
        /**
         * The number of rows that one call deletes, at most 10000.
         * @defaultValue 500. The database is busy for milliseconds.
         */
        readonly batch?: number
      }
    | false
  /**
   * How many requests this process works on at the same time. Further ones get 503 with `Retry-After` at once, before
   * their body is read. Requests that wait for other servers, for the metadata, for `/jwks` or for the revocation feed are
   * not counted.
   * @defaultValue 256. More than a process needs below its capacity; above it, requests wait at most for a fraction of a
   *   second.
   */
  readonly maxConcurrentRequests?: number
  /**
   * Counters that replace the counters in this process's memory, such as `toRateLimiter(…)`, so that several servers
   * count together.
   */
  readonly rateLimits?: {
    /**
     * Counts failed client authentications, by a hash of the presented `client_id`. A client that authenticates
     * successfully is never delayed.
     * @defaultValue 100 a minute, in this process. Secrets have 256 random bits, so the limit bounds the work, not the
     * chance of a guess.
     */
    readonly failedAuthentications?: RateLimiter
    /**
     * Counts authorization requests that had to wait for a user, by browser. A browser is known by a cookie that only the
     * server can make, so a stranger cannot use up the limit of another browser.
     * @defaultValue 100 in ten minutes, in this process. No user signs in so often.
     */
    readonly startedInteractions?: RateLimiter
    /**
     * Counts the same requests of all browsers without that cookie: the first request of a browser, and all requests of
     * a browser that refuses cookies. Browsers that have been here before are not affected when it is reached.
     * @defaultValue 30000 a minute, in this process. It leaves the processor to other requests.
     */
    readonly interactionsOfNewBrowsers?: RateLimiter
    /**
     * Counts the forms that are sent to the sign-in page, by interaction. The host must limit guesses over many
     * interactions itself, with `limitSignIns`.
     * @defaultValue 50 while the interaction lasts, in this process. No user mistypes a password so often.
     */
    readonly signInAttempts?: RateLimiter
    /**
     * Counts the codes that are issued for each client and user. Codes after a page count too, because a script could
     * submit the form of a consent page.
     * @defaultValue 100 a minute, in this process. Several tabs that renew their tokens stay below it.
     */
    readonly issuedCodes?: RateLimiter
    /**
     * Counts pushed authorization requests by client (RFC 9126 §2.3), for clients that authenticate.
     * @defaultValue 6000 a minute, in this process. Each request is stored until it expires.
     */
    readonly pushedRequests?: RateLimiter
    /**
     * Counts the pushed authorization requests that anybody can send: those of public clients, and of clients with
     * documents that no user has consented to. Other clients are not affected when it is reached.
     * @defaultValue 30000 a minute, in this process. Nothing is stored for them; it leaves the processor to other requests.
     */
    readonly pushedRequestsOfStrangers?: RateLimiter
    /**
     * Counts requests of devices (RFC 8628) by client. Each is stored until it expires, and anybody can make them in the
     * name of a public client.
     * @defaultValue 600 a minute, in this process. Far above the sign-ins of a large client.
     */
    readonly deviceRequests?: RateLimiter
    /**
     * Counts the requests of devices of all clients.
     * @defaultValue 6000 a minute, in this process. At most 120,000 rows are stored at once.
     */
    readonly deviceRequestsInTotal?: RateLimiter
    /**
     * Counts backchannel authentication requests (CIBA Core 1.0) by client.
     * @defaultValue 600 a minute, in this process. Far above the requests of a large client.
     */
    readonly backchannelRequests?: RateLimiter
    /**
     * Counts how often a client asks the same user, and tries their `user_code`.
     * @defaultValue 3 a minute, in this process. A user who is asked more often approves at last to be left alone.
     */
    readonly backchannelRequestsOfUser?: RateLimiter
    /**
     * Counts wrong user codes by browser (RFC 8628 §5.1).
     * @defaultValue 5 in ten minutes, in this process. A user mistypes a code a few times.
     */
    readonly userCodes?: RateLimiter
    /**
     * Counts wrong user codes by the address that `device.address` returns.
     * @defaultValue 20 in ten minutes, in this process. Users of an office share an address.
     */
    readonly userCodesOfAddress?: RateLimiter
    /**
     * Counts the wrong user codes of all browsers.
     * @defaultValue 10000 in ten minutes, in this process. If a thousand codes are pending, that many guesses find one
     * with a probability of 1 to 2560.
     */
    readonly userCodesInTotal?: RateLimiter
    /**
     * Counts logout requests, by browser or by session.
     * @defaultValue 100 a minute, in this process. No user signs out so often.
     */
    readonly logouts?: RateLimiter
  }
  readonly clock?: Clock
  readonly random?: Random
  /**
   * Sends the server's outgoing requests: it fetches key sets, metadata documents and logos of clients, and delivers
   * logout tokens and webhooks.
   * @defaultValue On Node, a function that connects only to public addresses: it resolves a host name, refuses private
   * addresses (RFC 6890), and connects to the address that it checked. Elsewhere, the runtime's own `fetch`. Pass
   * another function if outgoing requests need a proxy, which then has to keep them out of your network.
   */
  readonly fetch?: typeof globalThis.fetch
  /**
   * Origins to which the server sends requests although they have a port, an IP address or a name of a private network,
   * such as `https://rp.test:8443`; on loopback even without TLS, such as `http://127.0.0.1:4000`. Clients register
   * `jwks_uri` and `backchannel_logout_uri` there if `createAdministration` or `registerClient` has the same option.
   * For development and test suites: each client can then make the server send requests to these origins. A `fetch` of
   * the host has to reach them too.
   * @defaultValue None. Only https, public host names and the default port, which keeps requests out of the host's
   * network (RFC 9700 §4.11).
   */
  readonly dangerouslyAllowOutbound?: readonly string[]
}

/**
 * What discovery publishes about the host's own pages (OIDC Discovery §3). Addresses are https, or http on loopback.
 */
export interface DiscoveryOptions {
  /**
   * The authentication contexts that the sign-in page can satisfy: `acr_values_supported`.
   * @defaultValue Left out. Only the host knows its contexts.
   */
  readonly acrValues?: readonly string[] | undefined
  /**
   * The languages of the host's pages: `ui_locales_supported`.
   * @defaultValue Left out. Only the host knows its languages.
   */
  readonly uiLocales?: readonly string[] | undefined
  /**
   * Documentation for developers of clients: `service_documentation`.
   * @defaultValue Left out. The server has none of its own.
   */
  readonly serviceDocumentation?: string | undefined
  /**
   * Where clients register themselves: `registration_endpoint`, which is `endpoint` of `createRegistrationServer`. With
   * `openRegistration`, it is this address by default.
   * @defaultValue Left out. Only administrators register clients.
   */
  readonly registrationEndpoint?: string | undefined
  /**
   * What clients may do with users' data: `op_policy_uri`.
   * @defaultValue Left out. The server has none of its own.
   */
  readonly policyUri?: string | undefined
  /**
   * The terms of service for clients: `op_tos_uri`.
   * @defaultValue Left out. The server has none of its own.
   */
  readonly termsUri?: string | undefined
}

/** One of the host's own scope values. */
export interface ScopeOption {
  /** A sentence for the consent page. */
  readonly description: string
  /**
   * The names of the claims that the scope releases at userinfo.
   * @defaultValue None. Most scope values are about an API, not about the user.
   */
  readonly claims?: readonly string[]
  /**
   * The names of the claims that the scope releases in the ID token, for clients that read them only there, such as
   * Kubernetes.
   * @defaultValue None. ID tokens stay small.
   */
  readonly idTokenClaims?: readonly string[]
  /**
   * Where `roles`, `groups` and `entitlements` about the user come from, in the ID token and at userinfo. The limits
   * are those of `accessTokenClaimLimits`.
   * @defaultValue None. Clients learn nothing about roles and groups.
   */
  readonly identityClaims?: AccessTokenClaimsOption
  /**
   * Claims in access tokens with this scope value.
   * @defaultValue None. An API then looks up what it needs to know about a user.
   */
  readonly accessTokenClaims?: AccessTokenClaimsOption
}

/**
 * Where the claims `roles`, `groups` and `entitlements` of access tokens come from (RFC 9068 §2.2.3). `group_names` and
 * `group_ids`: the groups of the user's directory that the user is a direct member of, by display name or SCIM `id`.
 * `organization_roles`: the user's roles in the organization that the token is for. `scim_roles` and
 * `scim_entitlements`: the values of these SCIM attributes of the user. `{ claim }`: a stored claim or a
 * custom field that is a string or a list of strings.
 */
interface AccessTokenClaimsOption {
  /**
   * The sources of `roles`.
   * @defaultValue None. The claim is left out.
   */
  readonly roles?: readonly ClaimValues[]
  /**
   * The sources of `groups`.
   * @defaultValue None. The claim is left out.
   */
  readonly groups?: readonly ClaimValues[]
  /**
   * The sources of `entitlements`.
   * @defaultValue None. The claim is left out.
   */
  readonly entitlements?: readonly ClaimValues[]
}

/** An API that access tokens may be meant for. */
interface ResourceOption {
  /**
   * The name of the API on the consent page.
   * @defaultValue Its identifier. Users then see a URI.
   */
  readonly name?: string
  /** The scope values that this API understands; each must be among `scopes`. */
  readonly scopes: readonly string[]
  /**
   * The lifetime of access tokens for this API, in seconds.
   * @defaultValue `lifetimes.accessToken`. Set a shorter lifetime for an API where ten minutes are too long.
   */
  readonly accessTokenLifetime?: number
  /**
   * The format of access tokens. The API verifies a `jwt` itself. An `opaque` token requires introspection, and reveals
   * nothing to the client.
   * @defaultValue `jwt`. The API then needs no request to the server for each request that it receives.
   */
  readonly accessTokenFormat?: 'jwt' | 'opaque'
  /**
   * Claims in access tokens for this API.
   * @defaultValue None. The API then looks up what it needs to know about a user.
   */
  readonly accessTokenClaims?: AccessTokenClaimsOption
}

/** Lifetimes in seconds. */
export interface Lifetimes {
  /**
   * The lifetime of an authorization code.
   * @defaultValue 60. A browser delivers it at once, and a leaked code soon expires (RFC 6749 §4.1.2 allows ten
   * minutes).
   */
  readonly authorizationCode: number
  /**
   * How long after it was pushed an authorization request can be started in a browser, at most 600.
   * @defaultValue 60. A browser is redirected at once. Once the user sees a page, `interaction` applies.
   */
  readonly pushedRequest: number
  /**
   * The lifetime of an access token.
   * @defaultValue 600. An API without introspection accepts a revoked token for up to this time.
   */
  readonly accessToken: number
  /**
   * The lifetime of an ID token.
   * @defaultValue 600. A client reads it once, on receipt. As a hint it is accepted even after it has expired.
   */
  readonly idToken: number
  /**
   * How long a user may take to approve a request of a device, at most 1800 (RFC 8628 §3.2).
   * @defaultValue 600. The user has to find a browser, and a code that nobody can use any more cannot be guessed.
   */
  readonly deviceCode: number
  /**
   * How long a user may take to approve a backchannel authentication request (CIBA Core 1.0 §7.3), at most 1800. A client
   * can ask for less with `requested_expiry`.
   * @defaultValue 600. The user has to notice a message, and to sign in.
   */
  readonly backchannelRequest: number
  /**
   * How long a user may take to sign in and consent.
   * @defaultValue 1800. A password reset takes a while.
   */
  readonly interaction: number
  /**
   * A refresh token that is not used for this long expires, but not more than a day before the access tokens that were
   * issued with it.
   * @defaultValue 1209600, 14 days. A user who was away for longer signs in again (RFC 9700 §4.14.2).
   */
  readonly refreshTokenIdle: number
  /**
   * A refresh token expires after this time, however often it was rotated.
   * @defaultValue 7776000, 90 days. The user must then sign in again.
   */
  readonly refreshTokenAbsolute: number
  /**
   * A session is remembered for this long after the last sign-in to a client, even when its cookie has expired. Its
   * clients are then notified when it ends, and no client can join a session that was ended.
   * @defaultValue 2592000, 30 days. Applications keep their own sessions for weeks.
   */
  readonly session: number
}
