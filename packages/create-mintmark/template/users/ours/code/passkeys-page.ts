import { requireSameOrigin, type CookieSessions } from '@mintmark/core'
import { redirect, type Endpoint } from '@mintmark/core/http'
import { readPasskeyForm } from '@mintmark/pages'
import {
  generateRegistrationOptions,
  verifyRegistrationResponse,
  type RegistrationResponseJSON,
} from '@simplewebauthn/server'

import { passkeysPage } from '#pages'
import { challenge, type PasskeyParts } from '#passkey-sign-in'
import { basePath } from '#site'

/** Creates the page `/passkeys`, on which signed-in users add and remove their passkeys. */
export function askPasskeys({ issuer, key, users, sessions }: PasskeyParts & { readonly sessions: CookieSessions }) {
  const { origin, hostname: rpID } = new URL(issuer)
  const page = `${basePath(issuer)}/passkeys`
  const endpoint: Endpoint = async (request) => {
    requireSameOrigin(request)
    const signedIn = await sessions.signedIn(request)
    const user = signedIn && (await users.find(signedIn.subject))
    // Whoever finds a browser that somebody left open must not add a passkey.
    if (signedIn === undefined || user === undefined || Date.now() / 1000 - signedIn.authTime > recentSignIn)
      return redirect(`${basePath(issuer)}/sign-in?return_to=${page}`)
    const owned = await users.passkeys.list(user.subject)
    const creationOptions = await generateRegistrationOptions({
      rpID,
      rpName: 'Example',
      userID: new TextEncoder().encode(user.subject),
      userName: user.username,
      userDisplayName: `${user.givenName} ${user.familyName}`,
      challenge: challenge(key, `add ${signedIn.sessionId ?? ''}`),
      excludeCredentials: [...owned],
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    })
    if (request.method !== 'POST') return passkeysPage({ creationOptions, passkeys: owned }, request)

    const response = readPasskeyForm<RegistrationResponseJSON>(request)
    if (response === undefined) {
      const id = new URLSearchParams(new TextDecoder().decode(request.body)).get('remove')
      if (id !== null) await users.passkeys.remove(user.subject, id)
      return redirect(page)
    }
    const expected = { expectedChallenge: creationOptions.challenge, expectedOrigin: origin, expectedRPID: rpID }
    const verified = await verifyRegistrationResponse({ response, ...expected }).catch(() => undefined)
    if (verified?.registrationInfo === undefined)
      return passkeysPage({ creationOptions, passkeys: owned, hasFailed: true }, request)
    await users.passkeys.add(user.subject, verified.registrationInfo.credential)
    return redirect(page)
  }
  return endpoint
}

/** For how many seconds after a sign-in passkeys can be added and removed. */
const recentSignIn = 600
