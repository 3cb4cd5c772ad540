import type { JsonObject, JsonValue } from '@mintmark/storage-interface'
import { expect } from 'vitest'
import { applyPatch } from '../src/patch/apply-patch.ts'
import { parsePatch } from '../src/patch/parse-patch.ts'
import { groupResourceType } from '../src/schema/group-schema.ts'
import { userResourceType } from '../src/schema/user-schema.ts'
import { createParseContext } from '../src/tolerance/tolerance-counter.ts'
import { allTolerances, strictTolerances, type Tolerance } from '../src/tolerance/tolerances.ts'

export const core = 'urn:ietf:params:scim:schemas:core:2.0:User'
export const enterprise = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'
const groupSchema = 'urn:ietf:params:scim:schemas:core:2.0:Group'
const message = 'urn:ietf:params:scim:api:messages:2.0:PatchOp'

export const kim: JsonObject = {
  schemas: [core],
  id: 'usr_1',
  userName: 'kim@x.test',
  displayName: 'Kim',
  active: true,
  name: { givenName: 'Kim', familyName: 'Lee' },
  emails: [
    { value: 'kim@x.test', type: 'work', primary: true },
    { value: 'kim@home.test', type: 'home' },
  ],
  meta: { resourceType: 'User', created: '2020-01-01T00:00:00Z' },
}

export const ops: JsonObject = {
  schemas: [groupSchema],
  id: 'grp_1',
  displayName: 'Ops',
  members: [{ value: 'u1', type: 'User' }, { value: 'u2', type: 'User' }, { value: 'u3' }],
}

export type Operation = Readonly<Record<string, JsonValue>>

/** What a PATCH makes of a resource, which it leaves as it was. */
export function patchAs(tolerances: ReadonlySet<Tolerance>, operations: readonly Operation[], resource: JsonObject) {
  const context = createParseContext(resource === ops ? groupResourceType : userResourceType, tolerances)
  const before = JSON.stringify(resource)
  const result = applyPatch(
    resource,
    parsePatch({ schemas: [message], Operations: operations }, context.tolerances),
    context,
  )
  expect(JSON.stringify(resource)).toBe(before)
  return result
}

export const patch = (operation: Operation, resource = kim) => patchAs(strictTolerances, [operation], resource)
export const tolerated = (operation: Operation, resource = kim) => patchAs(allTolerances, [operation], resource)

export const homeMail = { value: 'kim@home.test', type: 'home' }
export const workMail = { value: 'kim@x.test', type: 'work', primary: true }
