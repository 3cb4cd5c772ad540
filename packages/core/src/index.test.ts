import { expect, it } from 'vitest'

import * as core from './index.ts'
import * as http from './http/index.ts'
import * as runtime from './runtime/index.ts'

it('exports these names and no others', () => {
  expect(Object.keys(core)).toMatchInlineSnapshot(`
    [
      "ClientMetadataError",
      "OAuthError",
      "addClientSecret",
      "connectedApps",
      "cookieSessions",
      "countEvents",
      "createAuthorizationServer",
      "defineGrant",
      "disableClient",
      "dropKey",
      "enableClient",
      "endPreviousClientSecrets",
      "fromRateLimiterFlexible",
      "inProcessRevocationFeed",
      "isGrantLive",
      "listKeys",
      "logEvents",
      "memoryRateLimiter",
      "parseIssuer",
      "registerClient",
      "requireSameOrigin",
      "rotateKeys",
      "storedKeys",
      "traceService",
      "updateClient",
    ]
  `)
  expect(Object.keys(http)).toMatchInlineSnapshot(`
    [
      "clearCookie",
      "createJournal",
      "createRouter",
      "decodeBody",
      "decodeComponent",
      "defineCookie",
      "json",
      "mediaType",
      "noStore",
      "parseParameters",
      "readCookie",
      "redirect",
      "setCookie",
      "withHeaders",
      "withoutBody",
    ]
  `)
  expect(Object.keys(runtime)).toMatchInlineSnapshot(`
    [
      "digestSecret",
      "encodeBase64url",
      "equalInConstantTime",
      "hmacSha256",
      "randomIdentifier",
      "randomSecret",
      "systemClock",
      "systemRandom",
    ]
  `)
})
