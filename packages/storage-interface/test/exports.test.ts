import * as contract from '@mintmark/storage-interface/contract'
import * as memory from '@mintmark/storage-interface/memory'
import { expect, test } from 'vitest'

test('the public names are these, and no others by surprise', () => {
  expect(Object.keys(memory)).toMatchInlineSnapshot(`
    [
      "createMemoryMedium",
      "createMemoryStorage",
    ]
  `)
  expect(Object.keys(contract)).toMatchInlineSnapshot(`
    [
      "LawBroken",
      "aClientRecord",
      "aCodeRecord",
      "aDigest",
      "aFamilyRecord",
      "aGrantRecord",
      "aGroup",
      "aGroupState",
      "aProviderRecord",
      "aProvisionedState",
      "aProvisionedUser",
      "aSessionRecord",
      "aSigningKeyRecord",
      "aUser",
      "anInteractionRecord",
      "anOpaqueTokenRecord",
      "storageLaws",
    ]
  `)
})
