import { expect, it } from 'vitest'

import { initiateLoginUrl } from './initiate-login.ts'

it.each([
  ['https://app.test/start', {}, 'https://app.test/start?iss=https%3A%2F%2Fas.test'],
  [
    'https://app.test/start?tenant=a&iss=https%3A%2F%2Fevil.test',
    { loginHint: 'kim@example.com', targetLinkUri: 'https://app.test/orders?id=1&x=2' },
    'https://app.test/start?tenant=a&iss=https%3A%2F%2Fas.test&login_hint=kim%40example.com&target_link_uri=https%3A%2F%2Fapp.test%2Forders%3Fid%3D1%26x%3D2',
  ],
])('adds the issuer and the hints to %s (OIDC Core §4)', (initiateLoginUri, hints, url) => {
  expect(initiateLoginUrl({ initiateLoginUri }, 'https://as.test', hints)).toBe(url)
})
