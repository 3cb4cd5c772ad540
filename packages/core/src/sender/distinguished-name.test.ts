import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { isSameName, parseDistinguishedName } from './distinguished-name.ts'
import { parseCertificate } from './x509.ts'

const isEqual = (one: string, other: string): boolean => {
  const [first, second] = [parseDistinguishedName(one), parseDistinguishedName(other)]
  return first !== undefined && second !== undefined && isSameName(first, second)
}

describe('a distinguished name', () => {
  it('equals no name if it is empty, as some certificates have it', () => {
    expect(isSameName([], [])).toBe(false)
  })

  it.each([
    ['different case', 'CN=Client,O=Example', 'cn=client, o=EXAMPLE'],
    ['an OID as the attribute type', 'CN=client', '2.5.4.3=client'],
    ['a different escape', 'O=Example\\, Inc.', 'O=Example\\2C Inc.'],
    ['a value in hexadecimal', 'CN=client', 'CN=#0c06636c69656e74'],
    ['other runs of spaces', 'O=Example  Inc.', 'O=Example Inc. '],
    ['another order of attributes in a relative name', 'CN=a+UID=b,O=c', 'UID=b+CN=a,O=c'],
    ['an escaped space and others at the end', 'CN=a\\\\\\   ', 'CN=a\\5C\\20'],
    ['an escaped backslash and spaces at the end', 'CN=a\\\\   ', 'CN=a\\5C'],
    ['UTF-8 in hexadecimal', 'CN=L\\C3\\A4n', 'CN=LÄN'],
  ])('equals the same name with %s (RFC 4514 §3, RFC 4517 §4.2.11)', (_, one, other) => {
    expect(isEqual(one, other)).toBe(true)
  })

  it.each([
    ['another order', 'CN=a,O=b', 'O=b,CN=a'],
    ['another attribute', 'CN=a', 'CN=a,O=b'],
    ['two attributes in one relative name', 'CN=a+O=b', 'CN=a,O=b'],
    ['an escaped separator', 'CN=a\\,O\\=b', 'CN=a,O=b'],
    ['a homograph', 'CN=client', 'CN=сlient'],
  ])('does not equal a name with %s (RFC 4517 §4.2.15)', (_, one, other) => {
    expect([parseDistinguishedName(one), parseDistinguishedName(other)]).not.toContain(undefined)
    expect(isEqual(one, other)).toBe(false)
  })

  it('with 200,000 spaces is read once, not again from each of them', () => {
    const spaces = ' '.repeat(200_000)

    expect(isEqual(`CN=a${spaces}b${spaces},O=c`, 'CN=a b,O=c')).toBe(true)
  })

  it.each([
    '',
    'client',
    'XX=client',
    'CN=',
    'CN=a,,O=b',
    'CN=a;O=b',
    'CN="a"',
    'CN=a\\',
    'CN=a\\00',
    'CN=#0c',
    'CN=#0c06636c69656e740',
    'CN=#0x06636c69656e74',
    'CN=\\FF',
  ])('is refused as malformed: %j (RFC 4514 §3)', (text) => {
    expect(parseDistinguishedName(text)).toBeUndefined()
  })
})

it('law: parsing bytes that are not a certificate returns undefined and never throws', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      expect(parseCertificate(bytes)).toBeUndefined()
      expect(parseCertificate(Uint8Array.of(0x30, bytes.length & 0x7f, ...bytes))).toBeUndefined()
    }),
  )
})
