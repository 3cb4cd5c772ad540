import { expect, it } from 'vitest'

import { encodeBase64url } from './runtime.ts'
import { isCompactJws, readPlainHeader } from './compact-jws.ts'

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

it('reads the header of a JWS that the authorization server signed', () => {
  const header = { alg: 'ES256', typ: 'at+jwt', kid: 'k1' }

  expect(readPlainHeader(`${encodeBase64url(JSON.stringify(header))}.QQ.QQ`)).toEqual(header)
})

it.each(['{"alg":"ES256","crit":["b64"]}', '{"alg":"ES256","kid":1}', '["alg"]', '{', '\uFEFF{"alg":"ES256"}'])(
  'rejects the header %j (RFC 7515 §4.1.11, RFC 8725 §3.1)',
  (header) => {
    expect(readPlainHeader(`${encodeBase64url(header)}.QQ.QQ`)).toBeUndefined()
  },
)

it('rejects a header that is not UTF-8 (RFC 7515 §5.2)', () => {
  const header = Uint8Array.from('{"alg":"\u00FF"}', (char) => char.charCodeAt(0))

  expect(readPlainHeader(`${encodeBase64url(header)}.QQ.QQ`)).toBeUndefined()
})
