import fc from 'fast-check'
import { base64url } from 'jose'
import { describe, expect, it } from 'vitest'

import { isCompactJws } from './compact-jws.ts'

const bytes = fc.uint8Array({ minLength: 1, maxLength: 60 })
const parts = fc.tuple(bytes, bytes, bytes).map((three) => three.map((part) => base64url.encode(part)))

describe('RFC 7515 §7.1: the compact serialization', () => {
  it('law: any three parts in base64url are one', () => {
    fc.assert(
      fc.property(parts, (three) => {
        expect(isCompactJws(three.join('.'))).toBe(true)
      }),
    )
  })

  it('law: no other spelling of the same bytes is one', () => {
    const lastOf = fc.constantFrom(...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'.split(''))

    fc.assert(
      fc.property(parts, fc.nat(2), lastOf, (three, index, last) => {
        const spelled = three.with(index, `${(three[index] ?? '').slice(0, -1)}${last}`)
        const isCanonical = spelled.every((part) => base64url.encode(base64url.decode(part)) === part)
        expect(isCompactJws(spelled.join('.'))).toBe(isCanonical)
      }),
    )
  })

  it.for([
    '',
    '..',
    'QQ..QQ',
    'QQ.QQ',
    'QQ.QQ.QQ.QQ',
    'QQ.QQ.Q',
    'QQ.QQ.QQ==',
    'QQ.QQ.QQ\n',
    ' QQ.QQ.QQ',
    'QQ.QQ.Q+',
    'QQ.QR.QQ',
    'QQ.QQ.QQB',
  ])('is not %j', (text) => expect(isCompactJws(text)).toBe(false))

  it('is not longer than 8192 characters', () => {
    const payload = 'QUFB'.repeat(2046)

    expect(isCompactJws(`QQ.${payload}.QUE`)).toBe(true)
    expect(isCompactJws(`QQ.${payload}QUFB.QUE`)).toBe(false)
  })
})
