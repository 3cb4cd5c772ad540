import { expect, test } from 'vitest'
import { mariadbSettings } from './mariadb-target.ts'

test('reads the address of a URL, and takes the password from it or from the environment', () => {
  const expected = { host: 'db.example', port: 3307, user: 'me@x', database: 'mint' }

  expect(mariadbSettings('mariadb://me%40x:s%2Fcret@db.example:3307/mint', 'other')).toEqual({
    ...expected,
    password: 's/cret',
  })
  expect(mariadbSettings('mysql://me%40x@db.example:3307/mint', 'other')).toEqual({ ...expected, password: 'other' })
})

test.for([
  ['?ssl-mode=DISABLED', undefined],
  ['?ssl-mode=REQUIRED', { rejectUnauthorized: false }],
  ['?ssl-mode=verify_ca', { rejectUnauthorized: true }],
  ['?ssl-mode=VERIFY_IDENTITY', { rejectUnauthorized: true, verifyIdentity: true }],
  [
    `?ssl-ca=${import.meta.filename}`,
    { rejectUnauthorized: true, verifyIdentity: true, ca: expect.any(String) as string },
  ],
] as const)('%s selects what is checked of the certificate of the server', ([query, ssl]) => {
  expect(mariadbSettings(`mariadb://db.example/mint${query}`, undefined).ssl).toEqual(ssl)
})

test.for([
  ['mariadb://me:hush@db.example', 'The URL cannot be read'],
  ['mariadb://me:hush@db.example/mint?password=hush', 'The URL has an unknown parameter: password'],
  ['mariadb://me:hush@db.example/mint?ssl-mode=hush', 'The ssl-mode of the URL must be one of DISABLED, REQUIRED'],
  ['mariadb://me:hush@db.example/mint?ssl-ca=/nowhere.pem', 'The file /nowhere.pem of ssl-ca cannot be read'],
] as const)('refuses %s, and does not repeat its password', ([url, reason]) => {
  expect(() => mariadbSettings(url, undefined)).toThrow(reason)
  expect(() => mariadbSettings(url, undefined)).not.toThrow('hush')
})
