import { describe, expect, test } from 'vitest'
import { defineCookie } from './cookie.ts'
import type { ServerRequest } from './message.ts'

const session = defineCookie('https://as.test', 'session')

describe('defineCookie', () => {
  test('uses the __Host- prefix over https (RFC 6265bis §4.1.3.2)', () => {
    expect(session.name).toBe('__Host-session')
  })

  test('uses no prefix over plain http, where browsers would reject it', () => {
    expect(defineCookie('http://127.0.0.1:3000', 'session').name).toBe('session')
  })

  test('gives issuers on one host different cookie names', () => {
    const names = ['', '/a', '/b', '/a/b', '/a.b', '/a-b', '/a_b', '/a-2db', '/~x'].map(
      (path) => defineCookie(`https://as.test${path}`, 'session').name,
    )

    expect(new Set(names).size).toBe(names.length)
    expect(names.every((name) => /^__Host-session[\w.-]*$/.test(name))).toBe(true)
  })
})

describe('read', () => {
  test.each([
    ['alone', '__Host-session=abc', 'abc'],
    ['among other cookies', 'a=1; __Host-session=abc; b=2', 'abc'],
    ['after a separator without a space', 'a=1;__Host-session=abc', 'abc'],
    ['with equals signs in its value', '__Host-session=a=b=', 'a=b='],
    ['with an empty value', '__Host-session=', ''],
  ])('reads the cookie %s (RFC 6265 §4.2.1)', (_, header, expected) => {
    expect(session.read(aRequest(header))).toBe(expected)
  })

  test.each([
    ['no header', undefined],
    ['an empty header', ''],
    ['other cookies only', 'a=1; b=2'],
    ['the name without its prefix', 'session=evil'],
    ['a name that ends with the name of the cookie', 'x__Host-session=evil'],
    ['a name that begins with the name of the cookie', '__Host-session2=evil'],
    ['the name in another letter case', '__host-session=evil'],
    ['no equals sign', '__Host-session'],
    ['a space before the equals sign', '__Host-session =evil'],
    ['the cookie twice', '__Host-session=real; __Host-session=evil'],
    ['the cookie twice, once with an empty value', '__Host-session=real; __Host-session='],
    ['the cookie inside the value of another, after a comma', 'a=1,__Host-session=evil'],
    ['the cookie inside the value of another, after a comma and a space', 'a=1, __Host-session=evil'],
    ['the cookie inside quotes', 'a="__Host-session=evil"'],
    ['a no-break space before the name', 'a=1; \u00a0__Host-session=evil'],
    ['an unusual Unicode space before the name', 'a=1; \u2000__Host-session=evil'],
    ['a byte order mark before the name', '\ufeff__Host-session=evil'],
    ['a vertical tab before the name', '\u000b__Host-session=evil'],
  ])('finds no cookie in %s, because a sibling host could set it (RFC 6265bis §4.1.3.2)', (_, header) => {
    expect(session.read(aRequest(header))).toBeUndefined()
  })
})

describe('set and clear', () => {
  test('hides the cookie from scripts, from plain http and from requests of other sites (RFC 9700 §4.7)', () => {
    expect(session.set('abc')).toEqual(['Set-Cookie', '__Host-session=abc; Path=/; HttpOnly; SameSite=Lax; Secure'])
  })

  test('sets Max-Age to the given number of seconds (RFC 6265 §5.2.2)', () => {
    expect(session.set('abc', 600)[1]).toMatch(/; Max-Age=600$/)
  })

  test('clears the cookie with the attributes that the prefix requires (RFC 6265bis §4.1.3.2)', () => {
    expect(session.clear()[1]).toBe('__Host-session=; Path=/; HttpOnly; SameSite=Lax; Secure; Max-Age=0')
  })

  test('omits Secure over plain http', () => {
    expect(defineCookie('http://localhost:3000', 'session').set('abc')[1]).not.toContain('Secure')
  })
})

const aRequest = (cookie: string | undefined): ServerRequest => ({
  method: 'GET',
  url: new URL('https://as.test/auth'),
  headers: new Map(cookie === undefined ? [] : [['cookie', cookie]]),
  repeatedHeaders: new Set(),
  host: undefined,
  body: new Uint8Array(),
})
