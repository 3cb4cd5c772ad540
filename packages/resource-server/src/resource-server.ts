import { verifyAccessToken, verifyIntrospectedToken, type ProvenKey, type VerifiedAccessToken } from './access-token.ts'
import { checkScopeNames, readAccessToken, requireDetailOf, requireScopes } from './bearer-token.ts'
import { authenticateRequest } from './credentials.ts'
import type { JsonObject } from './http-client.ts'
import { createIntrospectionCache, introspect, type Introspect } from './introspection.ts'
import { signingKeyOf } from './jws.ts'
import { createRemoteKeySet } from './key-set.ts'
import {
  createMemoryReplays,
  createPossessionVerifier,
  readProvenCertificate,
  type PossessionVerifier,
  type ProvenRequest,
} from './possession.ts'
import { checkResourceServerOptions, type ResourceServerOptions } from './options.ts'
import { AccessRefusedError, refuse, renderAccessRefusal, type JsonResponse } from './refusals.ts'
import { resourceMetadata, type ResourceMetadata } from './resource-metadata.ts'
import { checkRequiredClaims, requireClaimsOf, type RequiredClaims } from './required-claims.ts'
import {
  authenticationParameters,
  checkRequiredAuthentication,
  requireAuthenticationOf,
  type RequiredAuthentication,
} from './required-authentication.ts'
import { createRevocationFeed } from './revocation-feed.ts'
import { type Clock, systemClock, systemRandom } from './runtime.ts'
import { createEndpointLookup } from './server-metadata.ts'

/** An API that receives access tokens (RFC 9068 §4, RFC 6750). */
export interface ResourceServer {
  /** The metadata that this API publishes for clients; `undefined` when its identifier is not an http or https URL. */
  readonly metadata: ResourceMetadata | undefined
  /**
   * Creates a rule that requires all these scope values.
   * @throws TypeError when a string is not a scope value, or when there is none.
   */
  require(...scopes: readonly [string, ...string[]]): AccessRule
  /**
   * Creates a rule that requires an entry of this type in the authorization details of the token (RFC 9396), and all the
   * scope values. Compare the entries in `token.authorizationDetails` with the request.
   * @throws TypeError when the type is empty, or when one of `scopes` is not a scope value.
   */
  requireDetail(type: string, ...scopes: readonly string[]): AccessRule
  /**
   * Creates a rule that requires claims about the user, such as a role, and all the scope values. A user who lacks them is
   * refused with 403 `access_denied` and without a challenge, because another token would not help.
   * @throws TypeError when `required` is empty or invalid, or when one of `scopes` is not a scope value.
   */
  requireClaims(required: RequiredClaims, ...scopes: readonly string[]): AccessRule
  /**
   * Creates a rule that requires a recent or strong sign-in, and all the scope values. Other requests are refused with
   * 401 `insufficient_user_authentication`, and the challenge tells the client how the user must sign in (RFC 9470 §3).
   * @throws TypeError when `required` is empty or invalid, or when one of `scopes` is not a scope value.
   */
  requireAuthentication(required: RequiredAuthentication, ...scopes: readonly string[]): AccessRule
  /**
   * Creates a rule that admits every valid token for this API, whatever its scope. A client can get a valid token with any
   * of its scope values, or without any.
   */
  requireAnyToken(): AccessRule
  /** Stops following the revocation feed in the background. */
  stop(): void
}

/** Decides by the access token whether a request is admitted. */
export interface AccessRule {
  /**
   * Verifies the token of a request, and checks that it meets the rule.
   * @param authorization the values of all Authorization headers of the request.
   * @param request the request that a proof of possession is for; needed with the options `dpop` and `mutualTls`.
   * @throws AccessRefusedError with one of the reasons of `AccessRefusalReason`.
   */
  admit(authorization: readonly string[], request?: ProvenRequest): Promise<VerifiedAccessToken>
  /**
   * Renders the response to a refused request, and calls `onRefusal`. Returns `undefined` for an error that is not an
   * `AccessRefusedError`.
   * @param authorization the same values that `admit` received.
   */
  renderRefusal(error: unknown, authorization?: readonly string[]): JsonResponse | undefined
}

/**
 * Creates a resource server, with which an API accepts access tokens. It has no global state, and fetches nothing before
 * the first token unless the mode of the revocation feed is `follow`.
 * @throws TypeError that names an invalid option and says what to change.
 */
export function createResourceServer(options: ResourceServerOptions): ResourceServer {
  checkResourceServerOptions(options)
  const metadata = resourceMetadata(options)
  const verifier = createTokenVerifier(options)
  const schemes = acceptedSchemes(options)
  const possession = possessionVerifier(options)
  const { mutualTls, clock = systemClock, clockSkew = defaultClockSkew, acrRanks = [] } = options
  const onRefusal = options.onRefusal ?? warnOnce(console)
  const authenticationRule = { clockSkew, acrRanks }
  const parts = { metadata, verifier, schemes, possession, mutualTls, authenticationRule, clock, onRefusal }
  const ruleFor = (scopes: readonly string[], requirements: Requirements = {}): AccessRule => {
    if (scopes.length > 0) checkScopeNames(scopes)
    return createRule(scopes, requirements, parts)
  }

  return {
    metadata,
    require(...scopes) {
      checkScopeNames(scopes)
      return ruleFor(scopes)
    },
    requireDetail(type, ...scopes) {
      if (typeof type !== 'string' || type === '')
        throw new TypeError('requireDetail needs a type of authorization details.')
      return ruleFor(scopes, { detailType: type })
    },
    requireClaims(required, ...scopes) {
      checkRequiredClaims(required)
      return ruleFor(scopes, { required })
    },
    requireAuthentication(required, ...scopes) {
      checkRequiredAuthentication(required)
      return ruleFor(scopes, { authentication: required })
    },
    requireAnyToken: () => ruleFor([]),
    stop: () => verifier.stop(),
  }
}

/** What a rule requires besides scope values. */
interface Requirements {
  readonly detailType?: string
  readonly required?: RequiredClaims
  readonly authentication?: RequiredAuthentication
}

/** What the rules of a resource server share. */
interface RuleParts {
  readonly metadata: ResourceServer['metadata']
  readonly verifier: TokenVerifier
  /** The accepted schemes, the preferred scheme first. */
  readonly schemes: readonly ('Bearer' | 'DPoP')[]
  readonly possession: PossessionVerifier | undefined
  readonly mutualTls: ResourceServerOptions['mutualTls']
  readonly authenticationRule: { readonly clockSkew: number; readonly acrRanks: readonly string[] }
  readonly clock: Clock
  readonly onRefusal: (refusal: AccessRefusedError) => void
}

function createRule(
  scopes: readonly string[],
  { detailType, required = {}, authentication = {} }: Requirements,
  { metadata, verifier, schemes, possession, mutualTls, authenticationRule, clock, onRefusal }: RuleParts,
): AccessRule {
  const requireAll = (token: VerifiedAccessToken): VerifiedAccessToken => {
    requireScopes(token, scopes)
    requireDetailOf(token, detailType)
    requireClaimsOf(token, required)
    requireAuthenticationOf(token, authentication, { now: clock() / 1000, ...authenticationRule })
    return token
  }
  return {
    async admit(authorization, request = noProof) {
      const { scheme, token: presented } = readAccessToken(authorization, schemes)
      if (possession === undefined || scheme === 'Bearer') {
        // RFC 9449 §7.2: a token with a proof must not be sent as a bearer token, where the proof would not be checked.
        if (possession !== undefined && request.proofs.length > 0) throw refuse('token_bound')
        const certificate = mutualTls && (await readProvenCertificate(request, mutualTls.certificate))
        return requireAll(await verifier.verify(presented, certificate))
      }
      const proof = await possession.verify(request, presented)
      const token = requireAll(await verifier.verify(presented, { jkt: proof.jkt }))
      await proof.markUsed()
      return token
    },
    renderRefusal(error, authorization = []) {
      if (!(error instanceof AccessRefusedError)) return undefined
      notify(onRefusal, error)
      return renderAccessRefusal(error, {
        scopes: required.organization === undefined ? scopes : [...new Set([...scopes, 'organization'])],
        authentication: authenticationParameters(authentication),
        metadataUrl: metadata?.url,
        schemes,
        used: /^dpop /i.test(authorization[0] ?? '') ? 'DPoP' : 'Bearer',
      })
    },
  }
}

const defaultClockSkew = 10

const noProof: ProvenRequest = { method: '', path: '', proofs: [] }

/** Returns the accepted schemes, the preferred scheme first. */
function acceptedSchemes({ dpop }: ResourceServerOptions): readonly ('Bearer' | 'DPoP')[] {
  if (dpop === undefined) return ['Bearer']
  return dpop.required === true ? ['DPoP'] : ['DPoP', 'Bearer']
}

function possessionVerifier({ dpop, clock = systemClock }: ResourceServerOptions): PossessionVerifier | undefined {
  if (dpop === undefined) return undefined
  return createPossessionVerifier({ origin: dpop.origin, replays: dpop.replays ?? createMemoryReplays(clock), clock })
}

/** Logs the first token that is refused: anybody can send any number of wrong ones. */
function warnOnce(console: Pick<Console, 'warn'>): (refusal: AccessRefusedError) => void {
  let hasRefused = false
  return (refusal) => {
    // A client without a token asks for the challenge (RFC 6750 §3.1).
    if (hasRefused || refusal.reason === 'bearer_missing') return
    hasRefused = true
    console.warn(`Mintmark: ${refusal.message}. Further refusals are not shown: set onRefusal.`)
  }
}

function notify(listener: ResourceServerOptions['onRefusal'], refusal: AccessRefusedError): void {
  try {
    listener?.(refusal)
  } catch {
    // The listener is code of the host. If it throws, for instance because it cannot write a log, the response must not change.
  }
}

/** Decides whether an access token is valid for this API now. */
interface TokenVerifier {
  /**
   * @param proven the key that the sender proved to hold; `undefined` without a proof.
   * @throws AccessRefusedError
   */
  verify(token: string, proven: ProvenKey | undefined): Promise<VerifiedAccessToken>
  stop(): void
}

function createTokenVerifier(options: ResourceServerOptions): TokenVerifier {
  const { issuer, audience, credentials, introspection, revocationFeed, clockSkew = defaultClockSkew } = options
  const { clock = systemClock, random = systemRandom, fetch = globalThis.fetch } = options
  const usesCertificate = credentials !== undefined && 'certificate' in credentials
  const lookup = { issuer, endpoints: options.endpoints ?? {}, usesCertificate, fetch, clock }
  const endpointOf = createEndpointLookup(lookup)
  const keys = createRemoteKeySet(() => endpointOf('jwks'), { fetch, clock })
  const expectedOf = (proven: ProvenKey | undefined) => ({ issuer, audience, clockSkew, keys, proven })

  const client = credentials && {
    clientId: credentials.clientId,
    authenticate: () => authenticateRequest(credentials, { issuer, clock, random }),
  }
  const introspectionDependencies = client && { url: () => endpointOf('introspection'), ...client, fetch }
  const cacheFor = (introspection?.cacheFor ?? 5) * 1000
  const cachedIntrospect =
    introspection &&
    introspectionDependencies &&
    createIntrospectionCache((token) => introspect(token, introspectionDependencies), { cacheFor, clock })

  const feedDependencies = client && { url: () => endpointOf('revocationFeed'), issuer, ...client, keys, random }
  const toleratedSilence = (revocationFeed?.toleratedSilence ?? 10) * 1000
  const pollingRule = { mode: revocationFeed?.mode ?? 'on_demand', toleratedSilence }
  const feed =
    revocationFeed && feedDependencies && createRevocationFeed(pollingRule, { ...feedDependencies, fetch, clock })

  return {
    async verify(token, proven) {
      const expected = expectedOf(proven)
      // Only the authorization server can interpret an opaque token. Strings of another form are not sent to it.
      if (cachedIntrospect !== undefined && opaqueToken.test(token))
        return verifyIntrospectedToken(await introspectActive(token, cachedIntrospect), clock(), expected)
      // A forged JWT is refused here, without an introspection request.
      const verified = await verifyAccessToken(token, clock(), expected)
      const status = feed === undefined ? 'unknown' : await feed.statusOf(verified, signingKeyOf(token))
      // RFC 9068 §4, RFC 7009 §2.1: the token was revoked before it expired.
      if (status === 'revoked') throw refuse('token_revoked')
      if (status === 'unknown' && cachedIntrospect !== undefined) await introspectActive(token, cachedIntrospect)
      // RFC 9068 §4: without introspection, a token that the feed does not cover is refused; the client gets a new one.
      else if (status === 'unknown' && feed !== undefined) throw refuse('token_unknown_to_feed')
      return verified
    },
    stop: () => feed?.stop(),
  }
}

/** Returns the introspection response of an active token. */
async function introspectActive(token: string, cachedIntrospect: Introspect): Promise<JsonObject> {
  const response = await cachedIntrospect(token)
  // RFC 7662 §2.2: the token is not active, for whatever reason.
  if (response === undefined) throw refuse('token_inactive')
  return response
}

/** The form of the authorization server's opaque access tokens: 256 random bits in base64url. */
const opaqueToken = /^[A-Za-z0-9_-]{43}$/
