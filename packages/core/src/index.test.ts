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
      "endPreviousClientSecrets",
      "fromRateLimiterFlexible",
      "isGrantLive",
      "logEvents",
      "memoryRateLimiter",
      "registerClient",
      "requireSameOrigin",
      "storedKeys",
      "traceService",
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
    ]
  `)
  expect(Object.keys(runtime)).toMatchInlineSnapshot(`
    [
      "digestSecret",
      "equalInConstantTime",
      "randomIdentifier",
      "randomSecret",
      "systemClock",
      "systemRandom",
    ]
  `)
})
