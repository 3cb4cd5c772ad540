import { expect, it } from 'vitest'

import { isCompactJws } from './compact-jws.ts'

it.each(['QQ.QQ.QQ', 'QUE.QUFB.QUFBQQ'])('accepts %s as a compact JWS (RFC 7515 §7.1)', (text) => {
  expect(isCompactJws(text, 100)).toBe(true)
})

it.each([
  '..QQ',
  'QQ..QQ',
  '.QQ.QQ',
  'QQ.QQ.',
  'QQ.QQ',
  'QQ.QQ.QQ.QQ',
  'QR.QQ.QQ',
  'QQ=.QQ.QQ',
  'QQ.QQ.QQ\n',
  'Q.QQ.QQ',
  '',
])('rejects %j: each part is canonical base64url of at least one byte (RFC 7515 §7.1)', (text) => {
  expect(isCompactJws(text, 100)).toBe(false)
})
