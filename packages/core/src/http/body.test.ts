import { expect, test } from 'vitest'
import { decodeBody } from './body.ts'

test.each([
  ['text', [0x61, 0x3d, 0xc3, 0xa9], 'a=é'],
  ['nothing', [], ''],
  ['a byte order mark, which stays', [0xef, 0xbb, 0xbf, 0x61], '\ufeffa'],
])('RFC 6749 Appendix B: reads a body of UTF-8: %s', (_, bytes, expected) => {
  expect(decodeBody(Uint8Array.from(bytes))).toBe(expected)
})

test.each([
  ['ATK-020: a byte that no UTF-8 has', [0x61, 0xff]],
  ['ATK-020: a sequence that is cut off', [0xe2, 0x82]],
  ['ATK-023: a surrogate', [0xed, 0xa0, 0x80]],
  ['ATK-005: UTF-16 text with its mark', [0xff, 0xfe, 0x61, 0x00]],
])('RFC 6749 Appendix B: refuses %s', (_, bytes) => {
  expect(decodeBody(Uint8Array.from(bytes))).toBeUndefined()
})
