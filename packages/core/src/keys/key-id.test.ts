import { expect, test } from 'vitest'
import { keyIdOf } from './key-id.ts'

test.each([
  [27, 'aZuO-wLROScF1UViZHuTu-NcCvIVXzGgbLCjpdV3kNs'],
  [55, 'A9n9UV5tvwXIQ4lCbSc7q53TYP6Ys7eu__wTrtZRrCk'],
  [20, 'BLqLDaR7lYHM_1tuFhBRrbFJGOSYhaY8YDccRJlMfwk'],
])('a key id is the thumbprint of the key, except for a leading sign (RFC 7638 §3): n=%i', async (n, expected) => {
  const id = await keyIdOf({ kty: 'RSA', e: 'AQAB', n: String(n) })

  expect(id).toBe(expected)
})
