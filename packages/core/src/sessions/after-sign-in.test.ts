import { expect, it } from 'vitest'
import fc from 'fast-check'

import { localPath, redirectAfterSignIn } from './after-sign-in.ts'

const signedIn = { subject: 'U1', authTime: 1000, amr: ['pwd'], acr: undefined }

it.each(['/', '/orders', '/orders?page=2&sort=a%2Fb', '/orders#last', '/a//b', '/login?interaction=h&back'])(
  'localPath returns the path %s unchanged',
  (path) => {
    expect(localPath(path, '/account')).toBe(path)
  },
)

it.each([
  'https://evil.example/',
  '//evil.example/',
  '/\\evil.example/',
  '\\/evil.example/',
  '/.//evil.example/',
  '/x/..//evil.example/',
  '/%2e//evil.example/',
  '/\t/evil.example/',
  '/\n/evil.example',
  ' //evil.example/',
  'javascript:alert(1)',
  'orders',
  '',
  null,
  undefined,
  ['/a', '/b'],
])('localPath returns the other path instead of %j (RFC 9700 §4.11.1)', (value) => {
  expect(localPath(value, '/account')).toBe('/account')
})

it('law: a browser that follows localPath stays on the site, whatever the value is (RFC 9700 §4.11.1)', () => {
  const unit = fc.constantFrom('/', '\\', '.', '%2e', '\t', '\n', ' ', '@', ':', '?', '#', 'evil.example', 'https', 'a')
  fc.assert(
    fc.property(fc.array(unit, { maxLength: 12 }), (units) => {
      const location = localPath(units.join(''), '/account')
      expect(new URL(location, 'https://as.test/sign-in').origin).toBe('https://as.test')
      expect(location).toMatch(/^\/(?![/\\])/)
    }),
  )
})

it('localPath throws if the other path is no path of the site', () => {
  expect(() => localPath('/a', 'https://as.test/account')).toThrow('otherwise must be a path of this site')
})

it('redirects with the cookie to the path where the user wanted to go', () => {
  const started = { outcome: 'started', signedIn, headers: [['Set-Cookie', 'session']] } as const

  const response = redirectAfterSignIn(started, { returnTo: '/orders', otherwise: '/account' })

  expect(response.status).toBe(303)
  expect(response.headers).toEqual(expect.arrayContaining([['Location', '/orders'], started.headers[0]]))
})

it.each(['user_inactive', 'user_unknown'] as const)('refuses a sign-in without a session: %s', (outcome) => {
  const refused = () => redirectAfterSignIn({ outcome, signedIn, headers: [] }, { returnTo: '/', otherwise: '/' })

  expect(refused).toThrow(
    expect.objectContaining({ code: 'access_denied', reason: outcome, context: { userId: 'U1' } }),
  )
})
