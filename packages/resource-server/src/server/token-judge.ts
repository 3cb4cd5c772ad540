import { invalidToken } from '../access/access-refusal.ts'
import {
  verifyAccessToken,
  verifyIntrospectedToken,
  type VerifiedAccessToken,
} from '../access-token/verified-access-token.ts'
import type { JsonObject } from '../authorization-server/json-object.ts'
import { remoteKeySet } from '../authorization-server/remote-key-set.ts'
import { introspect } from '../introspection/introspect.ts'
import { introspectionCache, type Introspect } from '../introspection/introspection-cache.ts'
import { revocationFeed, type RevocationFeed } from '../revocation-feed/revocation-feed.ts'
import { systemClock } from '../runtime/clock.ts'
import { systemRandom } from '../runtime/random.ts'
import type { ResourceServerOptions } from './resource-server-options.ts'

/** Decides whether an access token is good here, now. */
export interface TokenJudge {
  /** @throws AccessRefusal invalid_token | temporarily_unavailable. */
  verify(token: string): Promise<VerifiedAccessToken>
  stop(): void
}

export function tokenJudge(options: ResourceServerOptions): TokenJudge {
  const { issuer, audience, clockSkew = 10 } = options
  const clock = options.clock ?? systemClock
  const deps = { clock, issuer, random: options.random ?? systemRandom, fetch: options.fetch ?? globalThis.fetch }
  const keys = remoteKeySet(`${issuer}/jwks`, deps)
  const expected = { issuer, audience, clockSkew, keys }
  const ask = introspectionOf(options, deps)
  const feed = feedOf(options, { ...deps, keys })

  return {
    async verify(token) {
      // An opaque token means nothing here; what has no such form is not asked about.
      if (ask !== undefined && opaqueToken.test(token))
        return verifyIntrospectedToken(await askAbout(token, ask), clock(), expected)
      // A forged JWT ends here: nobody is asked about it.
      const verified = await verifyAccessToken(token, clock(), expected)
      const standing = feed === undefined ? 'unsure' : await feed.standingOf(verified)
      // RFC 9068 §4, RFC 7009 §2.1: its life has ended before its time.
      if (standing === 'ended') throw invalidToken('token_ended')
      if (standing === 'unsure' && ask !== undefined) await askAbout(token, ask)
      // RFC 9068 §4: with nobody to ask, a token that the feed does not reach back to is refused, and its client gets a new one.
      else if (standing === 'unsure' && feed !== undefined) throw invalidToken('token_unknown_to_feed')
      return verified
    },
    stop: () => feed?.stop(),
  }
}

/** What the authorization server says of a token, now or a moment ago. */
async function askAbout(token: string, ask: Introspect): Promise<JsonObject> {
  const description = await ask(token)
  // RFC 7662 §2.2: not active, for whatever reason.
  if (description === undefined) throw invalidToken('token_inactive')
  return description
}

type Dependencies = Omit<Parameters<typeof revocationFeed>[1], 'url' | 'credentials' | 'keys'>

function introspectionOf(
  { issuer, credentials, introspection }: ResourceServerOptions,
  deps: Dependencies,
): Introspect | undefined {
  if (credentials === undefined || introspection === undefined) return undefined
  const asking = { url: `${issuer}/token/introspection`, credentials, fetch: deps.fetch }
  const cacheFor = (introspection.cacheFor ?? 5) * 1000
  return introspectionCache((token) => introspect(token, asking), { cacheFor, clock: deps.clock })
}

function feedOf(
  { issuer, credentials, revocationFeed: rule }: ResourceServerOptions,
  deps: Dependencies & { readonly keys: ReturnType<typeof remoteKeySet> },
): RevocationFeed | undefined {
  if (credentials === undefined || rule === undefined) return undefined
  const listening = { mode: rule.mode ?? 'on_demand', toleratedSilence: (rule.toleratedSilence ?? 10) * 1000 }
  return revocationFeed(listening, { ...deps, url: `${issuer}/token/revocation-feed`, credentials })
}

/** 256 random bits, base64url: the form of the authorization server's opaque access tokens. */
const opaqueToken = /^[A-Za-z0-9_-]{43}$/
