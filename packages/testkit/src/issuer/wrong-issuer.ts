import type { KeyRing } from '@mintmark/core'

import { base64url } from './proof-key.ts'

/** A token response whose ID token says that somebody else issued it; it is signed by the right key. */
export async function withWrongIssuer(response: Response, keys: KeyRing): Promise<Response> {
  // The cast says what a token response is.
  const tokens = (await response.json()) as Readonly<Record<string, unknown>>
  const { id_token: idToken } = tokens
  if (typeof idToken !== 'string') return Response.json(tokens, { status: response.status })
  const [header = '', payload = ''] = idToken.split('.')
  const claims = JSON.parse(atob(payload.replaceAll('-', '+').replaceAll('_', '/'))) as object
  const signed = `${header}.${encoded({ ...claims, iss: 'https://another-issuer.test' })}`
  const { alg } = JSON.parse(atob(header.replaceAll('-', '+').replaceAll('_', '/'))) as {
    readonly alg: 'ES256' | 'RS256'
  }
  const signature = await (await keys.signer(alg)).sign(new TextEncoder().encode(signed))
  return Response.json({ ...tokens, id_token: `${signed}.${base64url(signature)}` }, { status: response.status })
}

const encoded = (value: object): string => base64url(new TextEncoder().encode(JSON.stringify(value)))
