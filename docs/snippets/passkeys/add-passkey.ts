import { requireSameOrigin, type CookieSessions } from '@mintmark/core'
import type { Endpoint } from '@mintmark/core/http'
import { passkeysPage, readPasskeyForm } from '@mintmark/pages'
import {
  generateRegistrationOptions,
  verifyRegistrationResponse,
  type RegistrationResponseJSON,
} from '@simplewebauthn/server'
import { challengeOf, rpID } from './passkeys.ts'
import { listPasskeys, origin, removePasskey, savePasskey, toSignIn } from './yours.ts'

/** For the address /passkeys of your site. */
export const passkeys =
  (sessions: CookieSessions): Endpoint =>
  async (request) => {
    const user = await sessions.signedIn(request)
    if (!user) return toSignIn
    const owned = await listPasskeys(user.subject)
    const creationOptions = await generateRegistrationOptions({
      rpID,
      rpName: 'Example',
      userName: user.subject,
      challenge: challengeOf(`add ${user.sessionId}`),
      excludeCredentials: [...owned],
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    })
    if (request.method !== 'POST') return passkeysPage({ creationOptions, passkeys: owned }, request)

    requireSameOrigin(request)
    const response = readPasskeyForm<RegistrationResponseJSON>(request)
    if (!response) {
      const id = new URLSearchParams(new TextDecoder().decode(request.body)).get('remove')
      if (id) await removePasskey(user.subject, id)
      return passkeysPage({ creationOptions, passkeys: await listPasskeys(user.subject) }, request)
    }
    const expected = { expectedChallenge: creationOptions.challenge, expectedOrigin: origin, expectedRPID: rpID }
    const { registrationInfo } = await verifyRegistrationResponse({ response, ...expected }).catch(() => ({
      registrationInfo: undefined,
    }))
    if (registrationInfo) await savePasskey(user.subject, registrationInfo.credential)
    const hasFailed = registrationInfo === undefined
    return passkeysPage({ creationOptions, passkeys: await listPasskeys(user.subject), hasFailed }, request)
  }
