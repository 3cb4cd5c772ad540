import type { GroupMember, GroupRecord, JsonObject } from '@mintmark/storage-interface'

import { objectOf } from '../json/json-object.ts'

/**
 * A group as one SCIM resource: what PUT and PATCH work on. Its `id` is in it, because Okta repeats that in a PATCH.
 * @param members nobody when the write does not depend on who is there.
 */
export const groupDocument = (
  { groupId, resource, externalId }: GroupRecord,
  members: readonly GroupMember[] = [],
): JsonObject =>
  objectOf([
    ...Object.entries(resource),
    ['id', groupId],
    ['externalId', externalId],
    [
      'members',
      members.length === 0
        ? undefined
        : members.map(({ memberId, type }) =>
            objectOf([
              ['value', memberId],
              ['type', type],
            ]),
          ),
    ],
  ])
