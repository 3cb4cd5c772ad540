import { base64url, exportJWK, generateKeyPair } from 'jose'

import type { Revocation } from '../src/token-dependencies.ts'

/** The changes that a test makes to the payload and the header of a feed response. */
export interface FeedAnswer {
  readonly revocations?: readonly Revocation[]
  readonly coversAfter?: number
  readonly more?: boolean
  readonly claims?: Readonly<Record<string, unknown>>
  readonly header?: Readonly<Record<string, unknown>>
}

/** A request that the server received. */
export interface FeedRequest {
  readonly cursor: string | null
  readonly wait: string | null
  readonly nonce: string | null
  readonly authorization: string | null
}

/** Creates an authorization server with a key set and a feed. It is reached only through the returned `fetch`. */
export async function createFeedServer(
  answer: (request: FeedRequest, count: number) => FeedAnswer | Promise<FeedAnswer>,
) {
  const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true })
  const jwks = { keys: [{ ...(await exportJWK(publicKey)), kid: 'k', alg: 'ES256' }] }
  const requests: FeedRequest[] = []

  const sign = async (header: object, claims: object): Promise<string> => {
    const input = `${base64url.encode(JSON.stringify(header))}.${base64url.encode(JSON.stringify(claims))}`
    const signature = await crypto.subtle.sign(
      { name: 'ECDSA', hash: 'SHA-256' },
      privateKey,
      new TextEncoder().encode(input),
    )
    return `${input}.${base64url.encode(new Uint8Array(signature))}`
  }
  const fetch: typeof globalThis.fetch = async (url, init) => {
    if (url === 'https://as.test/jwks') return Response.json(jwks)
    const form = init?.body as URLSearchParams
    const [cursor, wait, nonce] = ['cursor', 'wait', 'nonce'].map((name) => form.get(name))
    const request: FeedRequest = {
      cursor: cursor ?? null,
      wait: wait ?? null,
      nonce: nonce ?? null,
      authorization: new Headers(init?.headers).get('authorization'),
    }
    requests.push(request)
    const { revocations = [], coversAfter = 0, more = false, claims, header } = await answer(request, requests.length)
    const payload = { cursor: `log.${requests.length}`, covers_after: coversAfter, more, ended: revocations }
    return new Response(
      await sign(
        { alg: 'ES256', typ: 'revocation-feed+jwt', kid: 'k', ...header },
        { iss: 'https://as.test', aud: 'api', iat: 1000, nonce, ...payload, ...claims },
      ),
    )
  }
  return { requests, fetch }
}
