import * as openid from 'openid-client'

/**
 * Signs a user in at a device without a browser.
 * @param config from `openid.discovery`, with `openid.None()`.
 * @param show prints a line, or draws it on the screen of the TV.
 */
export async function signIn(config: openid.Configuration, show: (line: string) => void) {
  const code = await openid.initiateDeviceAuthorization(config, { scope: 'openid profile offline_access' })
  show(`Open ${code.verification_uri} and enter ${code.user_code}`)
  return openid.pollDeviceAuthorizationGrant(config, code)
}
