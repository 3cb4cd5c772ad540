import { createHmac, randomBytes } from 'node:crypto'
import { defineCookie, type ServerRequest } from '@mintmark/core/http'
import { readPasskeyForm } from '@mintmark/pages'
import {
  generateAuthenticationOptions,
  verifyAuthenticationResponse,
  type AuthenticationResponseJSON,
} from '@simplewebauthn/server'

import type { PasskeySignIn } from '#pages'
import type { Users } from '#users'

export interface PasskeyParts {
  readonly issuer: string
  /** The key of the server, from which the challenges are derived. */
  readonly key: string
  readonly users: Users
}

/** Creates the sign-in with passkeys (WebAuthn Level 3). The sign-in page uses it. */
export function passkeySignIn({ issuer, key, users }: PasskeyParts): PasskeySignIn {
  const { origin, hostname: rpID } = new URL(issuer)
  // Without it, the challenge of a page would be the same in every browser, and a response could be used again elsewhere.
  const cookie = defineCookie(issuer, 'passkey-page')
  const challengeOf = ({ url }: ServerRequest, page: string) => challenge(key, `sign-in ${page} ${url.href}`)

  return {
    async offer(request) {
      const page = cookie.read(request) ?? randomBytes(16).toString('base64url')
      const passkey = await generateAuthenticationOptions({
        rpID,
        userVerification: 'required',
        challenge: challengeOf(request, page),
      })
      return { passkey, headers: [cookie.set(page)] }
    },
    async verify(request) {
      const response = readPasskeyForm<AuthenticationResponseJSON>(request)
      if (response === undefined) return undefined
      const page = cookie.read(request)
      const credential = await users.passkeys.find(response.id)
      if (page === undefined || credential === undefined) return 'rejected'
      const verified = await verifyAuthenticationResponse({
        response,
        credential,
        expectedChallenge: challengeOf(request, page).toString('base64url'),
        expectedOrigin: origin,
        expectedRPID: rpID,
      }).catch(() => undefined) // It throws for a response that does not belong to this page.
      if (verified?.verified !== true) return 'rejected'
      await users.passkeys.saveCounter(credential.id, verified.authenticationInfo.newCounter)
      return (await users.find(credential.subject)) ?? 'rejected'
    },
    forget: [cookie.clear()],
  }
}

/** A challenge is derived from the page, so a stranger who opens many pages fills no table. */
export const challenge = (key: string, page: string) => createHmac('sha256', key).update(`passkey ${page}`).digest()
