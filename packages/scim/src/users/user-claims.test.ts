import { expect, test } from 'vitest'

import { userClaims } from './user-claims.ts'

const claimsOf = (address: string) =>
  userClaims({ profileUrl: address, photos: [{ value: address, type: 'photo' }] }, () => false)

test.each(['https://people.example/ann', 'http://people.example:8080/ann.png?size=2'])(
  'maps %s to the claims profile and picture',
  (address) => {
    expect(claimsOf(address)).toMatchObject({ profile: address, picture: address })
  },
)

test.each([
  'javascript:alert(1)',
  'JaVaScRiPt:alert(1)',
  ' java\tscript:alert(1)',
  'data:text/html,x',
  'vbscript:x',
  'file:///etc/passwd',
  'ann.png',
  '//x/y',
  '',
])('omits %j, which clients would render as a link', (address) => {
  expect(claimsOf(address)).toMatchObject({ profile: undefined, picture: undefined })
})
