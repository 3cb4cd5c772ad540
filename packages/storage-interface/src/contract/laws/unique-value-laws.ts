import { providerId, userId } from '../../values.ts'
import type { NewProvisionedUser } from '../../provisioned-user.ts'
import type { ScimStorage } from '../../storage.ts'
import { attribute, text } from '../filters.ts'
import { now } from '../fixtures.ts'
import { law, type StorageLaw } from '../law.ts'
import { aProvisionedState, aProvisionedUser, everything } from '../provisioning-fixtures.ts'

/** Attributes that the host has indexed as unique (RFC 7643 §7). */
export const uniqueValueLaws: readonly StorageLaw<ScimStorage>[] = [
  law(
    'provisioned users: a value that is declared unique belongs to one user of a provider',
    async ({ storage, same }) => {
      const users = storage.provisionedUsers
      const badge = attribute('badge', 'urn:example:staff')
      await users.insert(withBadge('before', '1'))
      await users.indexAttributes([{ attribute: badge, elementPart: undefined, isText: true, isUnique: true }])
      await users.indexAttributes([{ attribute: badge, elementPart: undefined, isText: true, isUnique: true }])

      const taken = { outcome: 'taken', key: 'unique' } as const
      same(await users.insert(withBadge('copy', '1')), taken, 'a badge of an earlier user')
      same((await users.insert(withBadge('other', '2'))).outcome, 'inserted', 'another badge')
      same((await users.insert(withBadge('none', undefined))).outcome, 'inserted', 'no badge')
      same((await users.insert(withBadge('bare', undefined))).outcome, 'inserted', 'no badge again')
      same(
        (await users.insert(withBadge('away', '1', 'provider-2'))).outcome,
        'inserted',
        'the badge at another provider',
      )
      const change = { ...withBadge('none', '2'), version: 1, now }
      same(await users.compareAndSwap(change), taken, 'a change to a badge that is taken')
      const found = await users.list({ ...everything, filter: text(badge, 'sw', '1') })
      same(found.outcome === 'listed' && found.records.map((user) => user.userId), ['user-before'], 'a search by badge')
      await users.remove({
        providerId: withBadge('', undefined).providerId,
        userId: userId('user-before'),
        version: undefined,
        now,
      })
      same(
        (await users.compareAndSwap({ ...withBadge('none', '1'), version: 1, now })).outcome,
        'swapped',
        'a free badge',
      )
    },
  ),
]

const withBadge = (label: string, value: string | undefined, provider = 'provider-1'): NewProvisionedUser =>
  aProvisionedUser(label, {
    providerId: providerId(provider),
    state: aProvisionedState(label, {
      comparable: { userName: label, ...(value === undefined ? {} : { 'urn:example:staff': { badge: value } }) },
    }),
  })
