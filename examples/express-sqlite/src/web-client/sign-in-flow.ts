import * as openid from 'openid-client'

import type { WebClientCredentials } from '../clients.ts'

/** The state of a sign-in between the authorization request and its response. */
export interface StartedSignIn {
  readonly state: string
  readonly nonce: string
  readonly codeVerifier: string
  /** The page of this app that the user returns to. */
  readonly returnTo: '/web/' | '/web/shelf'
}

/** The result of a sign-in. */
export interface SignInResult {
  readonly user: openid.UserInfoResponse
  readonly idToken: openid.IDToken
  /** The ID token as the server sent it. The sign-out request sends it back. */
  readonly idTokenHint: string
  readonly accessToken: string
  readonly refreshToken: string | undefined
  /** The scope values of the access token. */
  readonly scopes: readonly string[]
}

/** Signs users in with openid-client, in the way that its documentation shows. */
export interface SignInFlow {
  start(options: {
    readonly scope: string
    readonly responseMode: string
    readonly returnTo: StartedSignIn['returnTo']
  }): Promise<StartedSignIn & { readonly url: URL }>
  /** @param callback the request to the redirect URI. */
  finish(callback: Request, started: StartedSignIn): Promise<SignInResult>
  refresh(signIn: SignInResult): Promise<SignInResult>
  revoke(signIn: SignInResult): Promise<void>
  /** Calls an API with the access token. */
  call(signIn: SignInResult, url: URL): Promise<Response>
  /** Returns the address that signs the user out at the server and then returns to this app. */
  signOut(signIn: SignInResult): Promise<URL>
}

export function createSignInFlow({
  issuer,
  clientId,
  clientSecret,
}: WebClientCredentials & { readonly issuer: string }): SignInFlow {
  let discovered: Promise<openid.Configuration> | undefined

  // Reads the metadata at first use: while this app starts, the server in the same process does not listen yet.
  const configuration = async (): Promise<openid.Configuration> => {
    // The library requires https by default, and the example runs on http://localhost.
    const execute = issuer.startsWith('http:') ? [openid.allowInsecureRequests] : []
    discovered ??= openid.discovery(new URL(issuer), clientId, undefined, openid.ClientSecretBasic(clientSecret), {
      execute,
    })
    try {
      return await discovered
    } catch (error) {
      discovered = undefined
      throw error
    }
  }

  return {
    async start({ scope, responseMode, returnTo }) {
      const [state, nonce, codeVerifier] = [openid.randomState(), openid.randomNonce(), openid.randomPKCECodeVerifier()]
      const url = openid.buildAuthorizationUrl(await configuration(), {
        redirect_uri: `${issuer}/web/callback`,
        scope,
        state,
        nonce,
        code_challenge: await openid.calculatePKCECodeChallenge(codeVerifier),
        code_challenge_method: 'S256',
        response_mode: responseMode,
      })
      return { url, state, nonce, codeVerifier, returnTo }
    },
    async finish(callback, { state, nonce, codeVerifier }) {
      const config = await configuration()
      const tokens = await openid.authorizationCodeGrant(config, callback, {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: codeVerifier,
        idTokenExpected: true,
      })
      const idToken = claimsOf(tokens)
      const user = await openid.fetchUserInfo(config, tokens.access_token, idToken.sub)
      return {
        user,
        idToken,
        idTokenHint: tokens.id_token ?? '',
        accessToken: tokens.access_token,
        refreshToken: tokens.refresh_token,
        scopes: tokens.scope?.split(' ') ?? [],
      }
    },
    async refresh(signIn) {
      const config = await configuration()
      const { idToken, refreshToken = '' } = signIn
      const tokens = await openid.refreshTokenGrant(config, refreshToken)
      const user = await openid.fetchUserInfo(config, tokens.access_token, idToken.sub)
      return {
        user,
        idToken: tokens.claims() ?? idToken,
        idTokenHint: tokens.id_token ?? signIn.idTokenHint,
        accessToken: tokens.access_token,
        refreshToken: tokens.refresh_token ?? refreshToken,
        scopes: tokens.scope?.split(' ') ?? signIn.scopes,
      }
    },
    call: ({ accessToken }, url) => fetch(url, { headers: { authorization: `Bearer ${accessToken}` } }),
    async revoke({ refreshToken, accessToken }) {
      await openid.tokenRevocation(await configuration(), refreshToken ?? accessToken)
    },
    async signOut({ idTokenHint }) {
      return openid.buildEndSessionUrl(await configuration(), {
        id_token_hint: idTokenHint,
        post_logout_redirect_uri: `${issuer}/web/`,
      })
    },
  }
}

function claimsOf(tokens: openid.TokenEndpointResponseHelpers): openid.IDToken {
  const claims = tokens.claims()
  if (claims === undefined) throw new Error('The token response has no ID token.')
  return claims
}

/** The reason why a sign-in failed, as the page shows it. */
export interface Problem {
  readonly code: string
  readonly text: string
}

/** Creates the error for a response that the back button repeated or an attacker sent (RFC 6749 §10.12). */
export const createUnknownStateError = (): Error =>
  new UnknownStateError('This response belongs to a sign-in that has ended, or that was not started here.')

/** Returns the error of the server if it sent one, and otherwise the error of the library. */
export function problemOf(error: unknown): Problem {
  if (error instanceof openid.AuthorizationResponseError || error instanceof openid.ResponseBodyError) {
    return { code: error.error, text: error.error_description ?? '' }
  }
  if (error instanceof openid.WWWAuthenticateChallengeError) {
    // RFC 6749 §5.2: a challenge of the token endpoint is about the client, and contains no error. RFC 6750 §3: a
    // challenge about a token contains an error.
    const code = error.cause.map(({ parameters }) => parameters.error).find((name) => name !== undefined)
    return { code: code ?? 'invalid_client', text: 'The server does not accept the credentials of this app.' }
  }
  if (error instanceof openid.ClientError) return { code: error.code ?? 'client_error', text: error.message }
  if (error instanceof UnknownStateError) return { code: 'state', text: error.message }
  throw error
}

class UnknownStateError extends Error {}
