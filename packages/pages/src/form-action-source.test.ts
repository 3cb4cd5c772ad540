import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { formActionSource } from './form-action-source.ts'

describe('formActionSource', () => {
  test.each([
    ['https://app.test/cb?x=1#y', 'https://app.test'],
    ['https://app.test:8443/cb', 'https://app.test:8443'],
    ['https://app.test:443/cb', 'https://app.test'],
    ['http://127.0.0.1:51000/cb', 'http://127.0.0.1:51000'],
    ['http://localhost:51000/cb', 'http://localhost:51000'],
    ['https://bücher.test/cb', 'https://xn--bcher-kva.test'],
    ['com.example.app:/cb', 'com.example.app:'],
  ])('is the origin, or the scheme of an app (RFC 8252 §7): %s', (redirectUri, source) => {
    expect(formActionSource(redirectUri)).toBe(source)
  })

  test.each([
    ['http://[::1]:51000/cb', 'http://*:51000'],
    ['http://[::1]/cb', 'http://*'],
    ['https://a;b/cb', 'https://*'],
  ])(
    'allows any host on the scheme and port when a policy cannot express the host: %s (CSP 3 §2.3.1)',
    (redirectUri, source) => {
      expect(formActionSource(redirectUri)).toBe(source)
    },
  )

  test.each(['javascript:alert(1)', 'data:text/html,x', 'file:///x', 'myapp:/cb', '/cb', ''])(
    'is undefined for %s',
    (redirectUri) => {
      expect(formActionSource(redirectUri)).toBeUndefined()
    },
  )

  test('law: no redirect URI adds a second source, directive or policy', () => {
    const host = fc.string().map((host) => `https://${host}/cb`)
    const scheme = fc.string().map((rest) => `a.b${rest}:/cb`)
    const uri = fc.oneof(fc.webUrl(), fc.string(), host, scheme)

    fc.assert(
      fc.property(uri, (redirectUri) => {
        expect(formActionSource(redirectUri) ?? '').not.toMatch(/[\s;,']/)
      }),
      { numRuns: 1000 },
    )
  })
})
