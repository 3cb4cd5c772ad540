import { verifyAccessToken, verifyIntrospectedToken, type ProvenKey, type VerifiedAccessToken } from './access-token.ts'
import { checkScopeNames, readAccessToken, requireDetailOf, requireScopes } from './bearer-token.ts'
import type { JsonObject } from './http-client.ts'
import { createIntrospectionCache, introspect, type Introspect } from './introspection.ts'
import { signingKeyOf } from './jws.ts'
import { createRemoteKeySet } from './key-set.ts'
import {
  createMemoryReplays,
  createPossessionVerifier,
  provenCertificate,
  type PossessionVerifier,
  type ProvenRequest,
} from './possession.ts'
import { checkResourceServerOptions, type ResourceServerOptions } from './options.ts'
import { AccessRefusedError, refuse, renderAccessRefusal, type JsonResponse } from './refusals.ts'
import { resourceMetadata, type ResourceMetadata } from './resource-metadata.ts'
import { checkRequiredClaims, requireClaimsOf, type RequiredClaims } from './required-claims.ts'
import { createRevocationFeed } from './revocation-feed.ts'
import { systemClock, systemRandom } from './runtime.ts'
import { createEndpointLookup } from './server-metadata.ts'

/** An API that receives access tokens (RFC 9068 §4, RFC 6750). */
export interface ResourceServer {
  /** The metadata that this API publishes for clients; `undefined` when its identifier is not a URL. */
  readonly metadata: ResourceMetadata | undefined
  /**
   * A rule that requires all of these scope values, at least one.
   * @throws TypeError when one of them is not a scope value, or when there is none.
   */
  require(...scopes: readonly [string, ...string[]]): AccessRule
  /**
   * A rule that requires an entry of this type in the authorization details of the token (RFC 9396), and the scope values if
   * there are any. Compare the entries in `token.authorizationDetails` with what the request is about.
   * @throws TypeError when the type is empty or one of the others is not a scope value.
   */
  requireDetail(type: string, ...scopes: readonly string[]): AccessRule
  /**
   * A rule that requires what the claims say of the user, such as a role, and the scope values if there are any. A user who
   * lacks it is refused with 403 `access_denied` and no challenge: another token would not help.
   * @throws TypeError when nothing is required, or one of the others is not a scope value.
   */
  requireClaims(required: RequiredClaims, ...scopes: readonly string[]): AccessRule
  /**
   * A rule that admits every valid token for this API, whatever it allows. A client gets such tokens with any of its
   * scope values, or without one.
   */
  requireAnyToken(): AccessRule
  /** Stops what runs in the background: following the revocation feed. */
  stop(): void
}

/** Admits requests by their access token. */
export interface AccessRule {
  /**
   * Verifies the token of a request, and that it has the required scope values.
   * @param authorization the values of all Authorization headers of the request.
   * @param request what a proof of possession is about; needed with the options `dpop` and `mutualTls`.
   * @throws AccessRefusedError — see `AccessRefusalReason`.
   */
  admit(authorization: readonly string[], request?: ProvenRequest): Promise<VerifiedAccessToken>
  /**
   * The response to a refused request; `undefined` for an error that is not an `AccessRefusedError`.
   * @param authorization as for `admit`.
   */
  renderRefusal(error: unknown, authorization?: readonly string[]): JsonResponse | undefined
}

/**
 * Creates what an API needs to accept access tokens. Nothing is global, and nothing is fetched before the first token,
 * unless the feed is followed.
 * @throws TypeError that names a bad option and says what to change.
 */
export function createResourceServer(options: ResourceServerOptions): ResourceServer {
  checkResourceServerOptions(options)
  const metadata = resourceMetadata(options)
  const verifier = createTokenVerifier(options)
  const schemes = acceptedSchemes(options)
  const possession = possessionVerifier(options)
  const { mutualTls } = options

  const ruleFor = (
    scopes: readonly string[],
    { detailType, required = {} }: { readonly detailType?: string; readonly required?: RequiredClaims } = {},
  ): AccessRule => {
    const requireAll = (token: VerifiedAccessToken): VerifiedAccessToken => {
      requireScopes(token, scopes)
      requireDetailOf(token, detailType)
      requireClaimsOf(token, required)
      return token
    }
    return {
      async admit(authorization, request = noProof) {
        const { scheme, token: presented } = readAccessToken(authorization, schemes)
        if (possession === undefined || scheme === 'Bearer') {
          // RFC 9449 §7.2: with a proof it is no bearer token, and the proof would go unchecked.
          if (possession !== undefined && request.proofs.length > 0) throw refuse('token_bound')
          const certificate = mutualTls && (await provenCertificate(request, mutualTls.certificate))
          const token = await verifier.verify(presented, certificate)
          return requireAll(token)
        }
        const proof = await possession.verify(request, presented)
        const token = await verifier.verify(presented, { jkt: proof.jkt })
        requireAll(token)
        await proof.use()
        return token
      },
      renderRefusal(error, authorization = []) {
        if (!(error instanceof AccessRefusedError)) return undefined
        notify(options.onRefusal, error)
        const used = /^dpop /i.test(authorization[0] ?? '') ? 'DPoP' : 'Bearer'
        const needed = required.organization === undefined ? scopes : [...new Set([...scopes, 'organization'])]
        return renderAccessRefusal(error, { scopes: needed, metadataUrl: metadata?.url, schemes, used })
      },
    }
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
      if (scopes.length > 0) checkScopeNames(scopes)
      return ruleFor(scopes, { detailType: type })
    },
    requireClaims(required, ...scopes) {
      checkRequiredClaims(required)
      if (scopes.length > 0) checkScopeNames(scopes)
      return ruleFor(scopes, { required })
    },
    requireAnyToken: () => ruleFor([]),
    stop: () => verifier.stop(),
  }
}

const noProof: ProvenRequest = { method: '', path: '', proofs: [] }

/** The scheme that is preferred comes first. */
function acceptedSchemes({ dpop }: ResourceServerOptions): readonly ('Bearer' | 'DPoP')[] {
  if (dpop === undefined) return ['Bearer']
  return dpop.required === true ? ['DPoP'] : ['DPoP', 'Bearer']
}

function possessionVerifier({ dpop, clock = systemClock }: ResourceServerOptions): PossessionVerifier | undefined {
  if (dpop === undefined) return undefined
  return createPossessionVerifier({ origin: dpop.origin, replays: dpop.replays ?? createMemoryReplays(clock), clock })
}

function notify(listener: ResourceServerOptions['onRefusal'], refusal: AccessRefusedError): void {
  try {
    listener?.(refusal)
  } catch {
    // The listener is the host's; a log that fails must not change the response.
  }
}

/** Decides whether an access token is valid here, now. */
interface TokenVerifier {
  /**
   * @param proven the key that was proven; `undefined` without one.
   * @throws AccessRefusedError
   */
  verify(token: string, proven: ProvenKey | undefined): Promise<VerifiedAccessToken>
  stop(): void
}

function createTokenVerifier(options: ResourceServerOptions): TokenVerifier {
  const { issuer, audience, credentials, introspection, revocationFeed, clockSkew = 10 } = options
  const { clock = systemClock, random = systemRandom, fetch = globalThis.fetch } = options
  const endpointOf = createEndpointLookup({ issuer, endpoints: options.endpoints ?? {}, fetch, clock })
  const keys = createRemoteKeySet(() => endpointOf('jwks'), { fetch, clock })
  const expectedOf = (proven: ProvenKey | undefined) => ({ issuer, audience, clockSkew, keys, proven })

  const asking = credentials && { url: () => endpointOf('introspection'), credentials, fetch }
  const cacheFor = (introspection?.cacheFor ?? 5) * 1000
  const ask =
    introspection && asking && createIntrospectionCache((token) => introspect(token, asking), { cacheFor, clock })

  const polling = credentials && { url: () => endpointOf('revocationFeed'), issuer, credentials, keys, random }
  const toleratedSilence = (revocationFeed?.toleratedSilence ?? 10) * 1000
  const rule = { mode: revocationFeed?.mode ?? 'on_demand', toleratedSilence }
  const feed = revocationFeed && polling && createRevocationFeed(rule, { ...polling, fetch, clock })

  return {
    async verify(token, proven) {
      const expected = expectedOf(proven)
      // An opaque token means nothing here, so the authorization server is asked; other forms are not sent to it.
      if (ask !== undefined && opaqueToken.test(token))
        return verifyIntrospectedToken(await askAbout(token, ask), clock(), expected)
      // A forged JWT is refused here, without a request.
      const verified = await verifyAccessToken(token, clock(), expected)
      const status = feed === undefined ? 'unknown' : await feed.statusOf(verified, signingKeyOf(token))
      // RFC 9068 §4, RFC 7009 §2.1: the token was revoked before it expired.
      if (status === 'revoked') throw refuse('token_revoked')
      if (status === 'unknown' && ask !== undefined) await askAbout(token, ask)
      // RFC 9068 §4: without introspection a token that the feed does not cover is refused, and its client gets a new one.
      else if (status === 'unknown' && feed !== undefined) throw refuse('token_unknown_to_feed')
      return verified
    },
    stop: () => feed?.stop(),
  }
}

/** The authorization server's description of an active token. */
async function askAbout(token: string, ask: Introspect): Promise<JsonObject> {
  const description = await ask(token)
  // RFC 7662 §2.2: not active, for whatever reason.
  if (description === undefined) throw refuse('token_inactive')
  return description
}

/** 256 random bits, base64url: the form of the authorization server's opaque access tokens. */
const opaqueToken = /^[A-Za-z0-9_-]{43}$/
