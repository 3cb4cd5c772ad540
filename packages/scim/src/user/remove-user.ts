import { untilSettled } from '@mintmark/storage-interface'

import { refusal } from '../error/refusal.ts'
import { requireMatch } from '../message/preconditions.ts'
import { emptyResponse } from '../message/scim-response.ts'
import type { ScimEndpoint } from '../server/scim-call.ts'
import { writerOf } from './account-writer.ts'
import { admitChange } from './admit-change.ts'
import { findUser } from './find-user.ts'
import { userVersion } from './render-user.ts'
import type { UserDependencies } from './user-dependencies.ts'

/**
 * DELETE /Users/{id} (RFC 7644 §3.6): the account ends, and everything of it. One that was there before the provider is kept,
 * inactive, and is the provider's no more.
 */
export const removeUser =
  (deps: UserDependencies): ScimEndpoint =>
  (call) => {
    const writer = writerOf(call, deps.journal)
    return untilSettled(async () => {
      const { providerId, now, record } = writer
      const { provisionedUsers } = deps.storage
      const user = await findUser(call, deps)
      const { userId, adopted, version } = user
      requireMatch(call.request, userVersion(user))
      await admitChange(user, 'remove', { writer, deps })

      const ended = await deps.endedAccess(user, now)
      const removal = { providerId, userId, version, now }
      const { outcome } = adopted ? await provisionedUsers.release(removal) : await provisionedUsers.remove(removal)
      if (outcome === 'conflict') return undefined
      // RFC 7644 §3.6: of several who remove one, one does.
      if (outcome === 'absent') throw refusal('resource_not_found')
      record({ type: adopted ? 'account.released' : 'account.removed', providerId, userId, ended })
      return emptyResponse()
    })
  }
