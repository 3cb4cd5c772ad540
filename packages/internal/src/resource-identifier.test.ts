import { describe, expect, it } from 'vitest'

import { findResourceName, isSameResource } from './resource-identifier.ts'

describe('identifiers of resources', () => {
  it.each([
    ['https://api.test', 'https://api.test/'],
    ['https://api.test', 'https://api.test:443'],
    ['https://api.test:443/', 'HTTPS://API.test'],
    ['http://api.test:80/v1', 'http://api.test/v1'],
    ['https://api.test?a=1', 'https://api.test/?a=1'],
    ['https://[::1]:443', 'https://[::1]/'],
    ['mcp://API.test/x', 'mcp://api.test/x'],
  ])('%s is the same as %s (RFC 3986 §6.2.3)', (one, other) => {
    expect(isSameResource(one, other)).toBe(true)
  })

  it.each([
    ['https://api.test/v1', 'https://api.test/v1/'],
    ['https://api.test/V1', 'https://api.test/v1'],
    ['https://api.test:8443', 'https://api.test'],
    ['https://api.test:80', 'https://api.test'],
    ['http://api.test', 'https://api.test'],
    ['mcp://api.test', 'mcp://api.test/'],
    ['urn:a:b', 'urn:A:b'],
    ['https://api.test', 'https://api.test@evil.test'],
    ['https://api.test', 'https://api.test/#x'],
  ])('%s is not the same as %s (RFC 3986 §6.2.1)', (one, other) => {
    expect(isSameResource(one, other)).toBe(false)
  })

  it('are found in the registered form, the exact one first', () => {
    expect(findResourceName('https://api.test/', ['https://api.test'])).toBe('https://api.test')
    expect(findResourceName('https://api.test/', ['https://api.test', 'https://api.test/'])).toBe('https://api.test/')
    expect(findResourceName('https://other.test', ['https://api.test'])).toBeUndefined()
  })
})
