import { describe, expect, it } from 'vitest'

import { checkResourceServerOptions } from './options.ts'
import type { ResourceServerOptions } from './options.ts'

const right = { issuer: 'https://as.test', audience: 'https://api.test' }
const trust = 'this_proxy_sets_and_strips_it'
const credentials = { clientId: 'api', clientSecret: 's' }

describe('options', () => {
  it.each<ResourceServerOptions>([
    right,
    { ...right, issuer: 'https://as.test/id' },
    { ...right, issuer: 'http://127.0.0.1:3000' },
    { ...right, audience: 'urn:example:orders' },
    {
      ...right,
      credentials,
      introspection: {},
      revocationFeed: { mode: 'follow', toleratedSilence: 300 },
      clockSkew: 0,
    },
  ])('accepts %j', (options) => {
    expect(() => checkResourceServerOptions(options)).not.toThrow()
  })

  it.each<readonly [string, object, RegExp]>([
    ['an issuer over plain http (RFC 8414 §2)', { issuer: 'http://as.test' }, /https/],
    ['an issuer of another scheme on loopback', { issuer: 'ftp://127.0.0.1' }, /https/],
    ['an issuer that is not a URL', { issuer: 'as.test' }, /https/],
    ['an issuer with a slash at the end', { issuer: 'https://as.test/' }, /as https:\/\/as\.test$/],
    ['an issuer whose host has capital letters', { issuer: 'https://AS.test' }, /as https:\/\/as\.test$/],
    ['an audience that is not absolute (RFC 8707 §2)', { audience: 'orders' }, /audience/],
    ['an audience with a fragment (RFC 8707 §2)', { audience: 'https://api.test#x' }, /audience/],
    ['an audience with a quotation mark', { audience: 'https://api.test/"x' }, /audience/],
    ['introspection without credentials', { introspection: {} }, /credentials/],
    ['the revocation feed without credentials', { revocationFeed: {} }, /credentials/],
    ['a cacheFor of more than 60 seconds', { credentials, introspection: { cacheFor: 61 } }, /cacheFor/],
    ['a cacheFor that is NaN', { credentials, introspection: { cacheFor: Number.NaN } }, /cacheFor/],
    ['a clockSkew of more than 60 seconds', { clockSkew: 61 }, /clockSkew/],
    [
      'an infinite toleratedSilence',
      { credentials, revocationFeed: { toleratedSilence: Infinity } },
      /toleratedSilence/,
    ],
    ['a certificate header in an unknown format', { mutualTls: { certificate: { format: 'pem', trust } } }, /format/],
    ['replays without markUsed', { dpop: { origin: 'https://api.test', replays: {} } }, /replays/],
    ['an unknown mode', { credentials, revocationFeed: { mode: 'push' } }, /mode/],
    ['a misspelled option', { audiences: [] }, /audiences is not an option/],
  ])('refuses %s, and says what to change', (_, change, message) => {
    expect(() => checkResourceServerOptions({ ...right, ...change })).toThrow(message)
  })
})
