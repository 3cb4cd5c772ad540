import type { JsonObject } from '@mintmark/storage-interface'
import { expect, test } from 'vitest'
import { finder } from './fixtures/finder.ts'

const enterprise = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'

const kim: JsonObject = {
  schemas: ['urn:ietf:params:scim:schemas:core:2.0:User', enterprise],
  id: 'usr_1',
  externalId: 'ab',
  userName: 'Kim@X.test',
  name: { familyName: 'Lee' },
  active: true,
  nickName: '',
  emails: [
    { value: 'kim@x.test', type: 'work', primary: true },
    { value: 'kim@home.test', type: 'home' },
    { value: '100%_sure*' },
  ],
  photos: [{}],
  meta: { created: '2020-01-01T00:00:00.1234567Z' },
  [enterprise]: { department: 'Operations', manager: { value: 'usr_9' } },
}

const matches = (text: string, resource = kim) => finder(text)(resource)

test.each([
  // RFC 7643 §2.2: caseExact decides whether case matters, in substrings too.
  ['userName eq "kim@x.TEST"', true],
  ['userName co "X."', true],
  ['userName sw "KIM"', true],
  ['userName ew ".Test"', true],
  ['userName ew "kim"', false],
  ['externalId eq "AB"', false],
  ['externalId eq "ab"', true],
  ['externalId co "B"', false],
  ['id eq "usr_1"', true],
  // RFC 7644 §3.4.2.2, [ ]: one value must satisfy both conditions.
  ['emails[type eq "work" and value co "@x"]', true],
  ['emails[type eq "work" and value co "@home"]', false],
  ['emails.type eq "work" and emails.value co "@home"', true],
  ['emails[not (type eq "work") and value co "@x"]', false],
  ['emails[type eq "home" and not (primary eq true)]', true],
  ['emails[primary eq true].value pr', 'refused'],
  // RFC 7644 §3.4.2.2: the name of a complex attribute alone means its `value`.
  ['emails eq "KIM@x.test"', true],
  ['emails co "@"', true],
  ['schemas eq "URN:ietf:params:scim:schemas:core:2.0:user"', true],
  [`${enterprise}:department eq "operations"`, true],
  [`${enterprise}:manager.value eq "USR_9"`, false],
  // RFC 7644 §3.4.2.2, pr: not empty.
  ['nickName pr', false],
  ['photos pr', false],
  ['photos.value pr', false],
  ['name pr', true],
  ['name.givenName pr', false],
  ['title pr', false],
  ['ims pr', false],
  ['active pr', true],
  // RFC 7643 §2.5: null is the same as absent.
  ['title eq null', true],
  ['title ne null', false],
  ['userName ne null', true],
  ['ims eq null', true],
  ['emails.type eq null', true],
  // RFC 7644 §3.4.2.2, ne: an absent value differs from every value; of several values, one that differs is enough.
  ['title ne "x"', true],
  ['title eq "x"', false],
  ['not (title eq "x")', true],
  ['ims ne "x"', true],
  ['emails.type ne "work"', true],
  ['not (emails.type eq "work")', false],
  ['active ne true', false],
  ['active ne false', true],
  ['title gt "a"', false],
  ['title le "a"', false],
  ['title co ""', false],
  ['not (title gt "a")', true],
  // RFC 7643 §2.3.5: instants.
  ['meta.created eq "2020-01-01T01:00:00.123+01:00"', true],
  ['meta.created lt "2020-01-01T00:00:00Z"', false],
  ['meta.created ge "2019-12-31T23:59:59-01:00"', false],
  ['meta.created le "2020-01-01T00:00:00.124Z"', true],
  // Strings are ordered by code point, ignoring case if the attribute is not case-exact.
  ['userName gt "KIM"', true],
  ['userName lt "L"', true],
  // No character is a wildcard.
  ['emails co "%"', true],
  ['emails co "_"', true],
  ['emails sw "*"', false],
  ['userName co "%"', false],
  ['userName co "."', true],
  ['userName eq "k.m@x.test"', false],
])('the result of %s is %s', (text, expected) => {
  if (expected === 'refused') return expect(() => matches(text)).toThrow('400 invalidFilter')
  return expect(matches(text)).toBe(expected)
})

test('reads only the own members of a resource', () => {
  const resource = JSON.parse('{"userName":"a","name":{"__proto__":{"familyName":"Lee"}}}') as JsonObject

  expect(matches('name.familyName eq "Lee"', resource)).toBe(false)
  expect(matches('name.familyName pr', Object.create({ name: { familyName: 'Lee' } }) as JsonObject)).toBe(false)
})

test('a value whose type differs from the schema matches nothing', () => {
  const resource = { userName: 5, active: 'true', meta: { created: 'never' }, name: 'Lee', emails: ['x'] }

  expect(
    [
      'userName eq "5"',
      'active eq true',
      'meta.created gt "2020-01-01T00:00:00Z"',
      'name.familyName pr',
      'emails co "x"',
    ].map((text) => matches(text, resource)),
  ).toEqual([false, false, false, false, false])
})
