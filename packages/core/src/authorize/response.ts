import { noStore, redirect, type ServerResponse } from '@mintmark/internal'
import { after, type ClientRecord, type EpochSeconds, seconds } from '@mintmark/storage-interface'
import { encryptAnswer } from '../clients/encrypt-answer.ts'
import type { RemoteKeySets } from '../clients/remote-key-set.ts'
import { chosenAlgorithm, signJwt } from '../keys/jws.ts'
import type { KeyRing } from '../keys/ring.ts'
import type { OAuthError } from '../refusals.ts'
import type { VerifiedRedirect } from '../clients/proven-redirect.ts'
import type { DecoupledRequestRecord } from '@mintmark/storage-interface/stores'

/** Responds to the client with a code (RFC 6749 §4.1.2). `iss` identifies the server that answered (RFC 9207 §2). */
export const authorizationResponse = (
  code: string,
  target: RedirectTarget,
  deps: ResponseDependencies & { readonly now: EpochSeconds },
): ServerResponse | Promise<ServerResponse> => respond({ code, state: target.state }, target, deps)

/** Responds to the client with an error (RFC 6749 §4.1.2.1). `iss` is included here too (RFC 9207 §2). */
export const authorizationErrorResponse = (
  refusal: OAuthError,
  target: RedirectTarget,
  deps: ResponseDependencies & { readonly now: EpochSeconds },
): ServerResponse | Promise<ServerResponse> =>
  respond({ error: refusal.code, error_description: refusal.description, state: target.state }, target, deps)

export interface ResponseDependencies {
  readonly issuer: string
  readonly keys: KeyRing
  readonly keySets: RemoteKeySets
}

/**
 * Responds with the parameters as they are, or as claims of a JWT for the client (JARM §2.1).
 * @throws OAuthError unauthorized_client — reason `encryption_key_missing`.
 */
const respond = (
  parameters: Readonly<Record<string, string | undefined>>,
  { redirect: target, responseMode, signature }: RedirectTarget,
  deps: ResponseDependencies & { readonly now: EpochSeconds },
): ServerResponse | Promise<ServerResponse> =>
  signature === undefined
    ? responseMode.respond(target, definedParameters({ ...parameters, iss: deps.issuer }))
    : respondSigned(parameters, { redirect: target, responseMode, signature }, deps)

async function respondSigned(
  parameters: Readonly<Record<string, string | undefined>>,
  {
    redirect: target,
    responseMode,
    signature,
  }: Pick<RedirectTarget, 'redirect' | 'responseMode'> & {
    readonly signature: NonNullable<RedirectTarget['signature']>
  },
  { issuer, keys, keySets, now }: ResponseDependencies & { readonly now: EpochSeconds },
): Promise<ServerResponse> {
  const signer = await keys.signer(chosenAlgorithm(signature.algorithm, keys))
  const { client } = signature
  const claims = { iss: issuer, aud: client.clientId, exp: after(now, responseLifetime), ...parameters }
  // RFC 8725 §3.11: no other kind of JWT has this type.
  const jwt = await signJwt('oauth-authz-resp+jwt', claims, signer)
  const response = await encryptAnswer(jwt, { answer: 'authorization', client, now }, keySets)
  return responseMode.respond(target, [['response', response]])
}

/** JARM §2.1 recommends at most ten minutes. */
const responseLifetime = seconds(120)

const definedParameters = (
  parameters: Readonly<Record<string, string | undefined>>,
): readonly (readonly [string, string])[] =>
  Object.entries(parameters).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]))

/** Where the response goes: to the client by redirect, or into the request that the client polls. */
export type ResponseTarget = RedirectTarget | DecoupledTarget

/** A request of a client that is on another device (RFC 8628, CIBA). The browser is not redirected to the client. */
export interface DecoupledTarget {
  readonly kind: 'decoupled'
  readonly record: DecoupledRequestRecord
}

/** Where and how the response reaches the client. Contains the evidence that the browser may be redirected there. */
export interface RedirectTarget {
  readonly kind: 'redirect'
  readonly redirect: VerifiedRedirect
  readonly responseMode: ResponseMode
  readonly state: string | undefined
  /** The client and the algorithm of a signed response; `undefined` when the response is not signed (JARM §2.3). */
  readonly signature: { readonly client: ClientRecord; readonly algorithm: string } | undefined
}

/**
 * A refusal that ends an authorization request. It is returned to the client by redirect, with the evidence that the
 * browser may be redirected there; if the client is on another device, the browser shows it.
 */
export class RedirectableError extends Error {
  override readonly name = 'RedirectableError'
  readonly refusal: OAuthError
  readonly target: ResponseTarget

  constructor(refusal: OAuthError, target: ResponseTarget) {
    super(refusal.message, { cause: refusal })
    this.refusal = refusal
    this.target = target
  }
}

/**
 * How the response parameters are returned to the client (OAuth 2.0 Multiple Response Type Encoding Practices §2.1).
 */
export interface ResponseMode {
  /** The `response_mode` value. */
  readonly mode: string
  /** Whether the only parameter is a JWT that contains all the others (JARM §2.3). */
  readonly isSigned: boolean
  /** @param parameters the parameters that are present. */
  respond(target: VerifiedRedirect, parameters: readonly (readonly [string, string])[]): ServerResponse
}

/** `query`: in the query of the redirect URI, the default for codes. */
export const queryResponseMode: ResponseMode = {
  mode: 'query',
  isSigned: false,
  respond(target, parameters) {
    const query = parameters.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&')
    // The registered redirect URI stays as it is, character by character; it has no fragment.
    return redirect(`${target}${target.includes('?') ? '&' : '?'}${query}`)
  },
}

/** `fragment`: in the fragment of the redirect URI. Used only for errors, if the requested response type has tokens. */
export const fragmentResponseMode: ResponseMode = {
  mode: 'fragment',
  isSigned: false,
  respond(target, parameters) {
    const fragment = parameters.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&')
    return redirect(`${target}#${fragment}`)
  },
}

/**
 * `form_post`: a page that posts the parameters to the client (OAuth 2.0 Form Post Response Mode §2). If scripts are
 * turned off, the user presses the button.
 */
export const formPostResponseMode: ResponseMode = {
  mode: 'form_post',
  isSigned: false,
  respond(target, parameters): ServerResponse {
    const fields = parameters.map(
      ([name, value]) => `<input type="hidden" name="${escapeAttribute(name)}" value="${escapeAttribute(value)}">`,
    )
    return {
      status: 200,
      headers: [
        ['Content-Type', 'text/html; charset=utf-8'],
        // No form-action: Chrome applies it to redirects after the post as well, and the client may redirect anywhere.
        // No X-Frame-Options: the page asks nothing, and the client may renew its tokens in a frame (`prompt=none`).
        [
          'Content-Security-Policy',
          `default-src 'none'; script-src '${scriptHash}'; frame-ancestors ${framingOrigin(target)}; base-uri 'none'`,
        ],
        ['X-Content-Type-Options', 'nosniff'],
        ['Referrer-Policy', 'no-referrer'],
        ...noStore,
      ],
      body: `<!doctype html><html lang="en"><meta charset="utf-8"><title>Continue</title><form method="post" action="${escapeAttribute(target)}">${fields.join('')}<noscript><button>Continue</button></noscript></form><script>${script}</script></html>`,
    }
  },
}

/** Returns the origin of a web address, as a source of a policy; the address of a native app has none. */
const framingOrigin = (target: VerifiedRedirect): string =>
  /^https?:/.test(target) ? new URL(target).origin : "'none'"

/** `jwt`: the default signed response mode, which is the query for codes (JARM §2.3.4). */
export const jwtResponseMode: ResponseMode = { ...queryResponseMode, mode: 'jwt', isSigned: true }

/** The response modes, best first. `fragment.jwt` is not among them: codes are not returned in a fragment. */
export const responseModes: readonly ResponseMode[] = [
  queryResponseMode,
  formPostResponseMode,
  jwtResponseMode,
  { ...queryResponseMode, mode: 'query.jwt', isSigned: true },
  { ...formPostResponseMode, mode: 'form_post.jwt', isSigned: true },
]

const escapeAttribute = (text: string): string => text.replaceAll(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`)

const script = 'document.forms[0].submit()'

/** The SHA-256 hash of the script. A test checks that it matches. */
const scriptHash = 'sha256-ePniVEkSivX/c7XWBGafqh8tSpiRrKiqYeqbG7N1TOE='
