import type { Clock, Endpoint, ServerResponse } from '@mintmark/internal'
import { clientId, type ClientRecord, type EpochSeconds, type OAuthStorage } from '@mintmark/storage-interface'

import type { OutboundClient } from '../outbound/client.ts'
import { createFetchCache } from '../outbound/fetch-cache.ts'
import type { RateLimiter } from '../rate-limiter.ts'
import { refuse } from '../refusals.ts'

/** The logos of clients. Users' browsers get them from this server, so that no client learns who reads a consent page. */
export interface ClientLogos {
  /** @returns `undefined` when the client has none, or it cannot be fetched at the moment. */
  find(client: ClientRecord, now: EpochSeconds): Promise<Logo | undefined>
}

interface Logo {
  readonly type: 'image/png' | 'image/jpeg' | 'image/webp'
  readonly bytes: Uint8Array
}

interface ClientLogoDependencies {
  readonly outbound: OutboundClient
  /** Counts requests for logos, by client and in total. */
  readonly fetches: { readonly ofClient: RateLimiter; readonly inTotal: RateLimiter }
}

/** Keeps logos in memory, at most 64 of 64 KiB. */
export function createClientLogos({ outbound, fetches }: ClientLogoDependencies): ClientLogos {
  const read = createFetchCache<Logo | undefined>(maxKept)

  return {
    async find(client, now) {
      const { logoUri } = client
      if (logoUri === undefined || !isVerified(client)) return undefined
      return read(logoUri, now, async (expired) => {
        if (!(await isAllowed(client, now))) return { value: expired, keepFor: 0 }
        const logo = await fetchLogo(logoUri, outbound)
        return { value: logo, keepFor: logo === undefined ? retryAfter : keptFor }
      })
    },
  }

  async function isAllowed({ clientId: id }: ClientRecord, now: EpochSeconds): Promise<boolean> {
    const decision = await fetches.ofClient.consume(`client ${id}`, now)
    return decision.allowed && (await fetches.inTotal.consume('total', now)).allowed
  }
}

/**
 * Whether somebody else than the client vouches for its name and logo: an administrator, or the issuer of its software statement
 * (RFC 7591 §5).
 */
export const isVerified = ({ origin, selfManagement }: ClientRecord): boolean =>
  origin === 'administrator' || (origin === 'registration' && selfManagement?.['statementIssuer'] !== null)

/** The address of the client's logo at this server. */
export const logoUrl = (issuer: string, client: ClientRecord): string | undefined =>
  client.logoUri !== undefined && isVerified(client)
    ? `${issuer}${logoPath}?client_id=${encodeURIComponent(client.clientId)}`
    : undefined

/** Below the issuer. */
export const logoPath = '/client-logo'

/**
 * `GET /client-logo?client_id=…`: the logo that the client is registered with. Anybody may read it, as anybody may read the client's.
 * @throws OAuthError invalid_request — reason `client_logo_unavailable`.
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
    // RFC 7591 §2: one answer, whether the client, its logo or the request is the reason.
    if (!logo) throw refuse('client_logo_unavailable')
    return {
      status: 200,
      headers: [
        ['Content-Type', logo.type],
        ['Cache-Control', 'public, max-age=3600'],
        // Whatever the bytes are, a browser shows an image or nothing.
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
  const type = typeOf(result.bytes)
  return type && { type, bytes: result.bytes }
}

/** By the first bytes, because the client's own statement cannot be trusted. SVG could contain scripts. */
function typeOf(bytes: Uint8Array): Logo['type'] | undefined {
  const start = String.fromCharCode(...bytes.subarray(0, 12))
  if (start.startsWith('\x89PNG\r\n\x1A\n')) return 'image/png'
  if (start.startsWith('\xFF\xD8\xFF')) return 'image/jpeg'
  return /^RIFF[^]{4}WEBP/.test(start) ? 'image/webp' : undefined
}

const maxBytes = 65_536
const maxKept = 64
/** In seconds. */
const keptFor = 86_400
const retryAfter = 300
