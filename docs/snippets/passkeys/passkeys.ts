import { createHmac } from 'node:crypto'
import type { CookieSessions, InteractionPage } from '@mintmark/core'
import { withHeaders } from '@mintmark/core/http'
import { readPasskeyForm, signInPage } from '@mintmark/pages'
import {
  generateAuthenticationOptions,
  verifyAuthenticationResponse,
  type AuthenticationResponseJSON,
} from '@simplewebauthn/server'
import { findPasskey, key, origin, passwordSignIn, saveCounter } from './yours.ts'

export const rpID = new URL(origin).hostname

/** The challenge of one page: nothing is stored for it, and it is of no use on another page or in another browser. */
export const challengeOf = (page: string): Uint8Array<ArrayBuffer> =>
  new Uint8Array(createHmac('sha256', key).update(`passkey ${page}`).digest())

/** For `pages.login`: signs in with a passkey or with a password. */
export const signInWithPasskey =
  (sessions: CookieSessions): InteractionPage =>
  async (pending, request) => {
    // The address contains the handle of this interaction, which is bound to the browser and ends with the sign-in.
    const options = { rpID, userVerification: 'required', challenge: challengeOf(request.url.href) } as const
    const passkey = await generateAuthenticationOptions(options)
    const response = readPasskeyForm<AuthenticationResponseJSON>(request)
    if (!response) return passwordSignIn({ ...pending, passkey }, request)

    const credential = await findPasskey(response.id)
    const verified =
      credential &&
      (await verifyAuthenticationResponse({
        response,
        credential,
        expectedChallenge: passkey.challenge,
        expectedOrigin: origin,
        expectedRPID: rpID,
      }).catch(() => undefined)) // It throws for a response that does not belong to this page.
    if (!credential || !verified?.verified) return signInPage({ ...pending, passkey, error: 'rejected' }, request)
    await saveCounter(credential, verified.authenticationInfo.newCounter)
    const { signedIn, headers } = await sessions.start(request, {
      subject: credential.userId,
      amr: ['swk', 'user'], // RFC 8176: a key, and the user was verified
    })
    return withHeaders(await pending.complete(signedIn), headers)
  }
