import { expect, test } from 'vitest'
import * as scim from './index.ts'

test('exports these names and no others', () => {
  expect(Object.keys(scim).toSorted()).toMatchInlineSnapshot(`
    [
      "ScimError",
      "allTolerances",
      "applyPatch",
      "comparableResource",
      "defineAttribute",
      "defineResourceType",
      "defineSchema",
      "enterpriseUserSchema",
      "entraTolerances",
      "filterLimits",
      "foldCase",
      "generalTolerances",
      "groupResourceType",
      "groupSchema",
      "maximumOperations",
      "oktaTolerances",
      "oneLoginTolerances",
      "openReading",
      "openTally",
      "parseFilter",
      "parsePatch",
      "parsePath",
      "parseProjection",
      "parseResource",
      "printFilter",
      "projectResource",
      "renderResourceType",
      "renderSchema",
      "renderScimError",
      "replaceResource",
      "resolveFilter",
      "resolvePath",
      "splitAttributeNames",
      "strictTolerances",
      "toleranceDefinitions",
      "userResourceType",
      "userSchema",
    ]
  `)
})
