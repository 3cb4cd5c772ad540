import type { Capacity, Clock, Endpoint, ServerResponse } from '@mintmark/internal'
import { clientId, type ClientRecord, type EpochSeconds, type OAuthStorage } from '@mintmark/storage-interface'

import type { OutboundClient } from '../outbound/client.ts'
import { createFetchCache } from '../outbound/fetch-cache.ts'
import type { RateLimiter } from '../rate-limiter.ts'
import { refuse } from '../refusals.ts'

/** The logos of clients. Browsers load them from this server, so that no client learns who opens a consent page. */
export interface ClientLogos {
  /** @returns `undefined` when the client has no logo to show, or the logo cannot be fetched at the moment. */
  find(client: ClientRecord, now: EpochSeconds): Promise<Logo | undefined>
}

interface Logo {
  readonly type: 'image/png' | 'image/jpeg' | 'image/webp'
  readonly bytes: Uint8Array
}

interface ClientLogoDependencies {
  readonly capacity: Pick<Capacity, 'outside'>
  readonly outbound: OutboundClient
  /** Counts requests for logos, by client and in total. */
  readonly fetches: { readonly ofClient: RateLimiter; readonly inTotal: RateLimiter }
}

/** Caches logos in memory: at most 64, each of at most 64 KiB. */
export function createClientLogos({ capacity, outbound, fetches }: ClientLogoDependencies): ClientLogos {
  const read = createFetchCache<Logo | undefined>(maxCached)

  return {
    async find(client, now) {
      const { logoUri } = client
      if (logoUri === undefined || !hasVerifiedLogo(client)) return undefined
      return capacity.outside(`logo ${logoUri}`, () =>
        read(logoUri, now, async (expired) => {
          if (!(await isAllowed(client, now))) return { value: expired, keepFor: 0 }
          const logo = await fetchLogo(logoUri, outbound)
          return { value: logo, keepFor: logo === undefined ? retryAfter : cachedFor }
        }),
      )
    },
  }

  async function isAllowed({ clientId: id }: ClientRecord, now: EpochSeconds): Promise<boolean> {
    const decision = await fetches.ofClient.consume(`client ${id}`, now)
    return decision.allowed && (await fetches.inTotal.consume('total', now)).allowed
  }
}

/**
 * Whether the member comes from somebody other than the client itself: an administrator, or the issuer of its software
 * statement, which vouches only for what stands in the statement (RFC 7591 §2.3, §5).
 */
export function isVerified({ origin, selfManagement }: ClientRecord, member: VerifiableMember): boolean {
  if (origin !== 'registration') return origin === 'administrator'
  // An administrator has changed the client, and so has taken it over.
  if (selfManagement === undefined) return true
  const vouchedFor = selfManagement['statementMembers']
  return Array.isArray(vouchedFor) && vouchedFor.includes(member)
}

/** The members that decide what users are shown, and where they are sent, before they have signed in. */
type VerifiableMember = 'client_name' | 'logo_uri' | 'redirect_uris' | 'post_logout_redirect_uris'

/** A logo beside an unverified name would vouch for the name. */
const hasVerifiedLogo = (client: ClientRecord): boolean =>
  isVerified(client, 'client_name') && isVerified(client, 'logo_uri')

/** Returns the URL of the client's logo at this server; `undefined` when there is no logo to show. */
export const logoUrl = (issuer: string, client: ClientRecord): string | undefined =>
  client.logoUri !== undefined && hasVerifiedLogo(client)
    ? `${issuer}${logoPath}?client_id=${encodeURIComponent(client.clientId)}`
    : undefined

/** Relative to the issuer. */
export const logoPath = '/client-logo'

/**
 * `GET /client-logo?client_id=…`: returns the logo that the client is registered with. Anybody may read it, because the
 * original is public too.
 * @throws OAuthError not_found — reason `client_logo_unavailable`.
 */
export const clientLogoEndpoint =
  (deps: {
    readonly storage: Pick<OAuthStorage, 'clients'>
    readonly clock: Clock
    readonly clientLogos: ClientLogos
  }): Endpoint =>
  async ({ url }): Promise<ServerResponse> => {
    const client = await deps.storage.clients.find(clientId(url.searchParams.get('client_id') ?? ''))
    const logo = client?.disabledAt === undefined && client && (await deps.clientLogos.find(client, deps.clock()))
    // RFC 9110 §15.5.5: the response does not reveal whether the client, its logo or the request is at fault.
    if (!logo) throw refuse('client_logo_unavailable')
    return {
      status: 200,
      headers: [
        ['Content-Type', logo.type],
        ['Cache-Control', 'public, max-age=3600'],
        // Whatever the bytes are, a browser shows them as an image or not at all.
        ['X-Content-Type-Options', 'nosniff'],
        ['Content-Security-Policy', "default-src 'none'; sandbox"],
      ],
      body: logo.bytes,
    }
  }

async function fetchLogo(url: string, outbound: OutboundClient): Promise<Logo | undefined> {
  const headers = { accept: 'image/png, image/jpeg, image/webp' }
  const result = await outbound.request({ url, headers, timeout: 2500, maxBytes, responseBody: 'bytes' })
  if (result.outcome !== 'answered' || result.status !== 200 || result.bytes === undefined) return undefined
  const type = imageTypeOf(result.bytes)
  return type && { type, bytes: result.bytes }
}

/**
 * Tells the type by the first bytes, because the client's `Content-Type` cannot be trusted. SVG is refused: it may
 * contain scripts.
 */
function imageTypeOf(bytes: Uint8Array): Logo['type'] | undefined {
  const start = String.fromCharCode(...bytes.subarray(0, 12))
  if (start.startsWith('\x89PNG\r\n\x1A\n')) return 'image/png'
  if (start.startsWith('\xFF\xD8\xFF')) return 'image/jpeg'
  return /^RIFF[^]{4}WEBP/.test(start) ? 'image/webp' : undefined
}

const maxBytes = 65_536
const maxCached = 64
/** In seconds. */
const cachedFor = 86_400
const retryAfter = 300
