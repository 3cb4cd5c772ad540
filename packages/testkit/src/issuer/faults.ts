import type { KeyRing } from '@mintmark/core'
import { base64url } from './sign-in.ts'
import type { TestKeyRing } from './test-key-ring.ts'

/**
 * A fault, which happens once:
 * - `expired_code`: the clock advances by a minute before the next code is redeemed, so the code has expired.
 * - `dropped_answer`: the next token request is processed, but its response is lost.
 * - `rotated_key`: the next tokens are signed with a new key, which a cached key set does not contain.
 * - `slow_jwks`: the next key set takes two seconds.
 * - `wrong_issuer`: the next ID token names another issuer, with a valid signature.
 * - `unavailable`: the next token request gets the response 503.
 */
export type Fault = 'expired_code' | 'dropped_answer' | 'rotated_key' | 'slow_jwks' | 'wrong_issuer' | 'unavailable'

type Fetch = (request: Request) => Promise<Response>

interface FaultDependencies {
  readonly issuer: string
  /** Faults that have not happened yet. Each is removed when it happens. */
  readonly faults: Fault[]
  readonly clock: { advance(seconds: number): void }
  readonly keys: TestKeyRing
}

/** Returns a `fetch` for the server that applies each pending fault to the next matching request. */
export function faultyFetch(
  fetch: Fetch,
  deps: FaultDependencies,
): (url: string | URL | Request, init?: RequestInit) => Promise<Response> {
  return async (url, init) => {
    const request = new Request(url, init)
    const fault = takeFault(new URL(request.url).href.slice(deps.issuer.length), deps.faults)
    switch (fault) {
      case undefined:
        return fetch(request)
      case 'expired_code':
        deps.clock.advance(61)
        return fetch(request)
      case 'rotated_key':
        deps.keys.rotate()
        return fetch(request)
      case 'slow_jwks':
        await new Promise((resolve) => setTimeout(resolve, 2000))
        return fetch(request)
      case 'dropped_answer':
        await fetch(request)
        throw new TypeError('fetch failed: the response was lost')
      case 'wrong_issuer':
        return withWrongIssuer(await fetch(request), deps.keys)
      case 'unavailable':
        return Response.json({ error: 'temporarily_unavailable' }, { status: 503, headers: { 'Retry-After': '1' } })
      default:
        return fault satisfies never
    }
  }
}

function takeFault(path: string, faults: Fault[]): Fault | undefined {
  const index = faults.findIndex((fault) => path === (fault === 'slow_jwks' ? '/jwks' : '/token'))
  return index === -1 ? undefined : faults.splice(index, 1)[0]
}

/** Replaces the issuer in the ID token of a token response, and signs the ID token with the right key. */
async function withWrongIssuer(response: Response, keys: KeyRing): Promise<Response> {
  // The cast states the type of a token response.
  const tokens = (await response.json()) as Readonly<Record<string, unknown>>
  const { id_token: idToken } = tokens
  if (typeof idToken !== 'string') return Response.json(tokens, { status: response.status })
  const [header = '', payload = ''] = idToken.split('.')
  const claims = JSON.parse(atob(payload.replaceAll('-', '+').replaceAll('_', '/'))) as object
  const signed = `${header}.${encodeJson({ ...claims, iss: 'https://another-issuer.test' })}`
  const { alg } = JSON.parse(atob(header.replaceAll('-', '+').replaceAll('_', '/'))) as {
    readonly alg: 'ES256' | 'RS256'
  }
  const signature = await (await keys.signer(alg)).sign(new TextEncoder().encode(signed))
  return Response.json({ ...tokens, id_token: `${signed}.${base64url(signature)}` }, { status: response.status })
}

const encodeJson = (value: object): string => base64url(new TextEncoder().encode(JSON.stringify(value)))
