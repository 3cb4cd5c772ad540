import { describe, expect, it } from 'vitest'

import { redirectUriProblem } from './redirect-uri.ts'

describe('the problem with a redirect URI', () => {
  it.each([
    ['', '1 to 2,000 characters'],
    [`https://app.test/${'a'.repeat(1984)}`, '1 to 2,000 characters'],
    ['https://app.test/cb#x', 'fragment'],
    ['https://*.app.test/cb', 'wildcard'],
    ['https://app.test/c b', 'visible ASCII'],
    ['https://app.test\\cb', 'visible ASCII'],
    ['https://app.test/cb%0d%0a', 'escapes'],
    ['https://app.test/cb%5c', 'escapes'],
    ['https://app.test/%zz', 'escapes'],
    ['/cb', 'absolute'],
    ['https://', 'absolute'],
    ['https://user@app.test/cb', 'user name'],
    ['https://:secret@app.test/cb', 'password'],
    ['https://app.test/cb?', 'parameters with names'],
    ['https://app.test/cb?=b', 'parameters with names'],
    ['https://app.test/cb?a=%ff', 'parameters with names'],
    ['https://app.test/cb?a=b&Code[]=x', 'parameter of the response'],
    ['https://app.test/cb?a=b;state=x', 'parameter of the response'],
    ['http://app.test/cb', 'loopback'],
    ['myapp:/cb', 'private-use scheme'],
    ['javascript:alert(1)', 'private-use scheme'],
    ['https://APP.test/cb', 'normalized form'],
    ['https://app.test:443/cb', 'normalized form'],
    ['https://app.test/x/../cb', 'normalized form'],
    ['https://app.test./cb', 'dot'],
    ['https://app..test/cb', 'dot'],
  ])('names the rule that %j breaks, but not the URI (RFC 7591 §3.2.2)', (uri, rule) => {
    const problem = redirectUriProblem(uri)

    expect(problem).toContain(rule)
    if (uri !== '') expect(problem).not.toContain(uri)
  })

  it.each([
    'https://app.test',
    'https://app.test/',
    'https://app.test/cb?tenant=a&x=',
    `https://app.test/${'a'.repeat(1983)}`,
    'http://127.0.0.1/cb',
    'http://[::1]:8080/cb',
    'http://localhost:3000/cb',
    'com.example.app:/cb',
    'com.example.app://cb',
  ])('is undefined for %j, which may be registered (RFC 8252 §7)', (uri) => {
    expect(redirectUriProblem(uri)).toBeUndefined()
  })
})
