import { fetchBounded, isJsonObject, parseJsonObject, type JsonObject } from './http-client.ts'
import { isWithin, throttle, type Clock, type EpochMilliseconds } from './runtime.ts'

/** The addresses of the authorization server that an API uses. */
export interface ServerEndpoints {
  /**
   * The JWK set (`jwks_uri`).
   * @defaultValue The address in the metadata. The issuer keeps it up to date.
   */
  readonly jwks: string
  /**
   * The introspection endpoint (`introspection_endpoint`).
   * @defaultValue The address in the metadata. The issuer keeps it up to date.
   */
  readonly introspection: string
  /**
   * The revocation feed (`revocation_feed_endpoint`).
   * @defaultValue The address in the metadata. The issuer keeps it up to date.
   */
  readonly revocationFeed: string
}

/** Looks up an address. It never throws, because `createEndpointLookup` has default addresses. */
export type EndpointLookup = (name: keyof ServerEndpoints) => Promise<string>

interface EndpointLookupOptions {
  readonly issuer: string
  /** Configured addresses, which are not looked up. */
  readonly endpoints?: Partial<ServerEndpoints>
  /** Whether requests present a client certificate, so that they go to the aliases (RFC 8705 §5). */
  readonly usesCertificate?: boolean
  readonly fetch: typeof globalThis.fetch
  readonly clock: Clock
}

/**
 * Creates a function that reads the addresses from the authorization server's metadata (RFC 8414 §3, or OpenID Connect
 * Discovery §4), and keeps them for an hour. While the metadata cannot be read, it returns the last known addresses, or the
 * default addresses of Mintmark. The API therefore keeps working when only the metadata is unavailable.
 */
export function createEndpointLookup(options: EndpointLookupOptions): EndpointLookup {
  const { issuer, endpoints = {}, usesCertificate = false, fetch, clock } = options
  let known: ServerEndpoints = defaultEndpoints(issuer)
  let readAt: EpochMilliseconds = -Infinity
  const refresh = throttle(async () => {
    const startedAt = clock()
    for (const url of metadataUrls(issuer)) {
      const metadata = await readMetadata(url, issuer, fetch)
      if (metadata === undefined) continue
      known = { ...known, ...endpointsIn(metadata, issuer), ...(usesCertificate && aliasesIn(metadata, issuer)) }
      readAt = startedAt
      return
    }
  }, clock)

  return async (name) => {
    const configured = endpoints[name]
    if (configured !== undefined) return configured
    if (!isWithin(readAt, keepFor, clock())) await refresh(failurePause)
    return known[name]
  }
}

const defaultEndpoints = (issuer: string): ServerEndpoints => ({
  jwks: `${issuer}/jwks`,
  introspection: `${issuer}/token/introspection`,
  revocationFeed: `${issuer}/token/revocation-feed`,
})

/** The well-known path comes before the issuer's path (RFC 8414 §3.1), or after it (OpenID Connect Discovery §4). */
function metadataUrls(issuer: string): readonly string[] {
  const { origin, pathname } = new URL(issuer)
  const path = pathname === '/' ? '' : pathname
  return [`${origin}/.well-known/oauth-authorization-server${path}`, `${issuer}/.well-known/openid-configuration`]
}

async function readMetadata(
  url: string,
  issuer: string,
  fetch: typeof globalThis.fetch,
): Promise<JsonObject | undefined> {
  try {
    const text = await fetchBounded(
      { url, headers: { accept: 'application/json' }, timeout: 2500, limit: 65_536 },
      fetch,
    )
    const metadata = parseJsonObject(text)
    // RFC 8414 §3.3: metadata of another issuer is not used.
    return metadata?.['issuer'] === issuer ? metadata : undefined
  } catch {
    // The next address is tried, or the last known endpoints are used.
    return undefined
  }
}

/** Reads the addresses. They must have the scheme of the issuer: https (RFC 8414 §2), or http on loopback. */
function endpointsIn(metadata: JsonObject, issuer: string): Partial<ServerEndpoints> {
  const { protocol } = new URL(issuer)
  const found = Object.entries(memberNames).flatMap(([name, member]) => {
    const url = metadata[member]
    return typeof url === 'string' && URL.canParse(url) && new URL(url).protocol === protocol ? [[name, url]] : []
  })
  return Object.fromEntries(found) as Partial<ServerEndpoints>
}

/** RFC 8705 §5: a client that presents a certificate uses the aliases, where there are any. */
function aliasesIn({ mtls_endpoint_aliases: aliases }: JsonObject, issuer: string): Partial<ServerEndpoints> {
  return isJsonObject(aliases) ? endpointsIn(aliases, issuer) : {}
}

const memberNames: Readonly<Record<keyof ServerEndpoints, string>> = {
  jwks: 'jwks_uri',
  introspection: 'introspection_endpoint',
  revocationFeed: 'revocation_feed_endpoint',
}

// In milliseconds.
const keepFor = 3_600_000
const failurePause = 5000
