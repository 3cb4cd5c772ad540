import { expect, test } from 'vitest'
import { redirectDestination } from './redirect-destination.ts'

test.each([
  ['https://app.test:8443/cb', 'website', 'app.test:8443'],
  ['https://user@app.test/cb', 'website', 'app.test'],
  ['https://аpp.test/cb', 'website', 'xn--pp-6kc.test'],
  ['http://127.0.0.1:51000/cb', 'device', '127.0.0.1:51000'],
  ['http://[::1]:51000/cb', 'device', '[::1]:51000'],
  ['http://localhost:51000/cb', 'device', 'localhost:51000'],
  ['http://localhost.evil.test/cb', 'website', 'localhost.evil.test'],
  ['com.example.app:/cb', 'app', 'com.example.app'],
])('names the redirect target, with a look-alike host in ASCII: %s', (redirectUri, kind, name) => {
  expect(redirectDestination(redirectUri)).toEqual({ kind, name })
})
