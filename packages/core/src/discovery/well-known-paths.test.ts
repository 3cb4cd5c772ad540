import { expect, it } from 'vitest'

import { wellKnownPaths } from './well-known-paths.ts'

it('OIDC Discovery §4, RFC 8414 §3.1: an issuer without a path has one address for each name', () => {
  expect(wellKnownPaths('')).toEqual(['/.well-known/openid-configuration', '/.well-known/oauth-authorization-server'])
})

it('OIDC Discovery §4, RFC 8414 §3.1: an issuer with a path is found by the appended and by the inserted form', () => {
  expect(wellKnownPaths('/id')).toEqual([
    '/id/.well-known/openid-configuration',
    '/.well-known/openid-configuration/id',
    '/id/.well-known/oauth-authorization-server',
    '/.well-known/oauth-authorization-server/id',
  ])
})
