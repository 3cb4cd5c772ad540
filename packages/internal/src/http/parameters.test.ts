import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { decodeComponent, parseParameters } from './parameters.ts'

describe('parseParameters', () => {
  test.each([
    ['nothing', '', []],
    [
      'names in their order',
      'b=1&a=2',
      [
        ['b', '1'],
        ['a', '2'],
      ],
    ],
    ['a plus sign as a space, and its escape as itself', 'scope=a+b%2Bc', [['scope', 'a b+c']]],
    [
      'UTF-8, escaped and literal',
      'n%C3%A9=%F0%9F%98%80&é=1',
      [
        ['né', '😀'],
        ['é', '1'],
      ],
    ],
    ['a value with equals signs', 'code=a=b==', [['code', 'a=b==']]],
    [
      'a name without a value',
      'code&x=',
      [
        ['code', ''],
        ['x', ''],
      ],
    ],
    ['a value without a name', '=x', [['', 'x']]],
    [
      'empty pairs',
      '&a=1&&b=2&',
      [
        ['a', '1'],
        ['b', '2'],
      ],
    ],
    [
      'the names of object internals',
      '__proto__=x&constructor=y',
      [
        ['__proto__', 'x'],
        ['constructor', 'y'],
      ],
    ],
    [
      'brackets as part of the name',
      'a[]=1&a%5Bx%5D=2',
      [
        ['a[]', '1'],
        ['a[x]', '2'],
      ],
    ],
    [
      'repeated names',
      'code=a&code=b',
      [
        ['code', 'a'],
        ['code', 'b'],
      ],
    ],
    [
      'names that are equal once decoded',
      'code=a&c%6Fde=b',
      [
        ['code', 'a'],
        ['code', 'b'],
      ],
    ],
  ])('reads %s (RFC 6749 Appendix B)', (_, text, expected) => {
    expect(parseParameters(text, 64)).toEqual(expected)
  })

  test.each([
    ['a lone percent sign', 'code=%'],
    ['letters that are not hexadecimal', 'code=%zz'],
    ['half an escape', 'code=%4'],
    ['a broken escape in a name', '%=x'],
    ['bytes that no UTF-8 has', 'code=%FF%FE'],
    ['an overlong slash', 'code=%C0%AF'],
    ['a truncated sequence', 'code=%E2%82'],
    ['a surrogate', 'code=%ED%A0%80'],
    ['beyond the last code point', 'code=%F4%90%80%80'],
  ])('rejects %s (RFC 6749 Appendix B)', (_, text) => {
    expect(parseParameters(`grant_type=x&${text}`, 64)).toEqual({ malformed: 'encoding' })
  })

  test('rejects one pair too many, counting empty ones', () => {
    expect(parseParameters(Array(64).fill('a=1').join('&'), 64)).toHaveLength(64)
    expect(parseParameters(Array(65).fill('a=1').join('&'), 64)).toEqual({ malformed: 'too_many' })
    expect(parseParameters('&'.repeat(64), 64)).toEqual({ malformed: 'too_many' })
  })

  test('law: text that URLSearchParams writes is read back unchanged', () => {
    const pairs = fc.array(fc.tuple(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' })), { maxLength: 6 })
    const written = pairs.filter((list) => list.every(([name, value]) => name !== '' || value !== ''))

    fc.assert(
      fc.property(written, (list) => {
        expect(parseParameters(new URLSearchParams(list).toString(), 64)).toEqual(list)
      }),
    )
  })

  test('law: any text yields a list or is malformed, and never throws', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('a', '%', '=', '&', '+', '0', 'F', 'é') }), (text) => {
        const parsed = parseParameters(text, 64)

        expect(
          'malformed' in parsed ? ['encoding', 'too_many'].includes(parsed.malformed) : Array.isArray(parsed),
        ).toBe(true)
      }),
    )
  })
})

describe('decodeComponent', () => {
  test.each([
    ['a+b', 'a b'],
    ['a%2Bb+c', 'a+b c'],
    ['%3A', ':'],
    ['%00', '\0'],
    ['%', undefined],
    ['%FF', undefined],
  ])('reads %j as %j (RFC 6749 Appendix B)', (text, expected) => {
    expect(decodeComponent(text)).toBe(expected)
  })
})
